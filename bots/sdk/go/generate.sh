#!/usr/bin/env bash
# Writes the wire's messages (arenapb/) anew from ../../../proto. It needs the platform's Python environment, for
# its protoc, and on the PATH protoc-gen-go and protoc-gen-go-grpc:
#   go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
#   go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2
set -euo pipefail
cd "$(dirname "$0")"
proto=../../../proto
package=conquest-arena/bot/arenapb
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"${PYTHON:-../../../.venv/bin/python}" -m grpc_tools.protoc --proto_path="$proto" \
  --go_out="$out" --go_opt="module=$package,Marena/v1/rules.proto=$package,Marena/v1/play.proto=$package" \
  --go-grpc_out="$out" --go-grpc_opt="module=$package,Marena/v1/rules.proto=$package,Marena/v1/play.proto=$package" \
  arena/v1/rules.proto arena/v1/play.proto
cp "$out"/*.go arenapb/
