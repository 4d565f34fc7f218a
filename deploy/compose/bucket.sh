#!/bin/sh
# Creates BUCKET unless it is there. The connection is in ADMIN_*.
set -eu

if versitygw admin list-buckets | grep -q "^$BUCKET "; then
	echo "bucket $BUCKET is there"
else
	versitygw admin create-bucket --bucket "$BUCKET" --owner "$ADMIN_ACCESS_KEY"
	echo "bucket $BUCKET created"
fi
