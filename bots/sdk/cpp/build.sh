#!/bin/sh
# Builds the package and the example bots, and with `sh build.sh ON` the tests. One process at a time: they share build/.
set -eu
cd "$(dirname "$0")"
exec 9< CMakeLists.txt
flock 9
cmake -S . -B build -DBUILD_TESTING="${1:-OFF}"
cmake --build build --parallel 2
