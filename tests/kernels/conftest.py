"""The proof families are known to the engine while the tests of this folder run, and only then."""

from __future__ import annotations

from collections.abc import Iterator

import proof_families
import pytest


@pytest.fixture(scope="module", autouse=True)
def proof_kernels() -> Iterator[None]:
    with proof_families.registered():
        yield
