from collections.abc import Iterator

import pytest

from support.model_checker.quiet import quiet_clients


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with quiet_clients():
        yield
