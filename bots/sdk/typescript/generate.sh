#!/bin/sh
# Writes src/gen anew from the repository's proto/: `npm run generate`. protoc comes with grpcio-tools or a package
# of the system; the plugin is fetched when it is needed, since nobody else needs it.
set -eu
cd "$(dirname "$0")"
proto=../../../proto
rm -rf src/gen && mkdir -p src/gen
npm exec --yes --package=ts-proto@2.18.0 -- sh -c 'protoc --proto_path='"$proto"' \
  --plugin=protoc-gen-ts_proto="$(command -v protoc-gen-ts_proto)" --ts_proto_out=src/gen \
  --ts_proto_opt=env=node,esModuleInterop=true,importSuffix=.js,forceLong=number \
  --ts_proto_opt=outputServices=grpc-js,outputJsonMethods=false,onlyTypes=false,unrecognizedEnum=false \
  arena/v1/play.proto'
# What they were made of: a test compares it with proto/ as it is.
(cd "$proto" && sha256sum arena/v1/play.proto arena/v1/rules.proto) > src/gen/SOURCES
