#!/bin/sh
# Creates the namespace and registers the search attributes. The connection is in TEMPORAL_*.
set -eu

list=${SEARCH_ATTRIBUTES:-/opt/swapgate/search-attributes.txt}

retry() {
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ "$tries" -lt 30 ] || return 1
		sleep 2
	done
}

retry temporal operator cluster health
if ! temporal operator namespace describe -n "$TEMPORAL_NAMESPACE" >/dev/null 2>&1; then
	temporal operator namespace create -n "$TEMPORAL_NAMESPACE" --retention "$RETENTION"
fi
# A new namespace is known everywhere after some seconds. Registering an attribute again changes nothing.
while read -r name type; do
	[ -z "$name" ] || retry temporal operator search-attribute create -n "$TEMPORAL_NAMESPACE" --name "$name" --type "$type"
done <"$list"
