#!/bin/sh
# Installs the packages and compiles, as far as that is not done yet. One process at a time: all bots that use this
# package from here build it by this script.
set -eu
cd "$(dirname "$0")"
exec 9< package.json
flock 9
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --prefer-offline --no-audit --no-fund --ignore-scripts
node_modules/.bin/tsc
