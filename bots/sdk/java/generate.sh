#!/bin/sh
# Writes src/main/java/arena/v1 from the repository's proto/; Maven fetches protoc and its plugin for gRPC.
set -eu
cd "$(dirname "$0")"
proto=../../../proto
tools=target/protoc
platform=linux-x86_64
protobuf=3.25.8 # what grpc.version of parent.xml brings
grpc=1.81.0

fetch() {
    mvn -q -B -f parent.xml dependency:copy -Dartifact="$1:$2:exe:$platform" -DoutputDirectory="$PWD/$tools"
    chmod +x "$tools/${1#*:}-$2-$platform.exe"
}

fetch com.google.protobuf:protoc "$protobuf"
fetch io.grpc:protoc-gen-grpc-java "$grpc"
mkdir -p src/main/java
"$tools/protoc-$protobuf-$platform.exe" -I "$proto" --java_out=lite:src/main/java \
    --plugin=protoc-gen-grpc-java="$tools/protoc-gen-grpc-java-$grpc-$platform.exe" --grpc-java_out=lite:src/main/java \
    arena/v1/play.proto arena/v1/rules.proto
