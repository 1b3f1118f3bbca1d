"""The bytes that all SDKs' decoding is tested against are what the platform makes today."""

from __future__ import annotations

import importlib.util
from pathlib import Path

GENERATOR = Path(__file__).with_name("make_testdata.py")


def test_the_golden_bytes_are_what_the_platform_makes(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("make_testdata", GENERATOR)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.write(tmp_path)
    assert len(made) == 12
    stale = [path.name for path in made if path.read_bytes() != (module.FOLDER / path.name).read_bytes()]
    assert not stale, "run `python tests/sdk/make_testdata.py` and look at the difference"
