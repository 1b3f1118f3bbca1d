#!/usr/bin/env bash
# Writes arena-bot/src/wire.rs anew from ../../../proto, with the protoc of the platform's Python environment.
set -euo pipefail
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"${PYTHON:-../../../.venv/bin/python}" -m grpc_tools.protoc --proto_path=../../../proto \
  --include_imports --include_source_info --descriptor_set_out="$out/descriptors" \
  arena/v1/rules.proto arena/v1/play.proto
cargo run --quiet --locked --manifest-path codegen/Cargo.toml -- "$out/descriptors" "$out"
cp "$out/arena.v1.rs" arena-bot/src/wire.rs
