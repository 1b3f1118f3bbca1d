"""The committed messages of the Go, Java and Rust SDKs have the fields of proto/: generate.sh was run."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from arena.v1 import play_pb2, rules_pb2

SDKS = Path(__file__).resolve().parents[2] / "bots" / "sdk"
GO_FIELD = re.compile(r'protobuf:"[^,]*,(\d+),[^"]*?name=(\w+)')
JAVA_FIELD = re.compile(r"int ([A-Z0-9_]+)_FIELD_NUMBER = (\d+);")
RUST_FIELD = re.compile(r'#\[prost\([^\]]*tag = "(\d+)"[^\]]*\)\]\s+(?:pub )?(?:r#)?(\w+)')


def fields() -> Counter[tuple[int, str]]:
    """(number, name) of every field of the messages that bots use."""
    found: Counter[tuple[int, str]] = Counter()
    for module in (rules_pb2, play_pb2):
        for message in module.DESCRIPTOR.message_types_by_name.values():
            found.update((field.number, field.name) for field in message.fields)
    return found


def test_go_has_every_field_with_its_number() -> None:
    texts = [path.read_text() for path in sorted((SDKS / "go" / "arenapb").glob("*.pb.go"))]
    found = Counter((int(number), name) for text in texts for number, name in GO_FIELD.findall(text))
    assert found == fields()


def test_java_has_every_field_with_its_number() -> None:
    folder = SDKS / "java" / "src" / "main" / "java" / "arena" / "v1"
    texts = [path.read_text() for path in sorted(folder.glob("*.java"))]
    found = Counter(
        (int(number), name.lower()) for text in texts for name, number in JAVA_FIELD.findall(text)
    )
    assert found == fields()


def test_rust_has_every_field_with_its_number() -> None:
    text = (SDKS / "rust" / "arena-bot" / "src" / "wire.rs").read_text()
    found = Counter((int(number), _snake(name)) for number, name in RUST_FIELD.findall(text))
    assert found == fields()


def _snake(name: str) -> str:
    """The field that a choice of a oneof, named in Rust's way, stands for."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
