#!/bin/sh
# Creates or updates Temporal's two schemas. The connection is in SQL_*.
set -eu

for store in temporal visibility; do
	database=temporal
	[ "$store" = temporal ] || database=temporal_visibility
	temporal-sql-tool --db "$database" create
	temporal-sql-tool --db "$database" setup-schema -v 0.0
	temporal-sql-tool --db "$database" update-schema -d "/etc/temporal/schema/postgresql/v12/$store/versioned"
done
