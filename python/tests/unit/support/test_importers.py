"""A file that tests share is used by those that import it, start it, or lie below it."""

from __future__ import annotations

import pytest

from support.importers import find_users

TEXTS = {
    "support/base.py": "",
    "support/middle.py": "from support import base",
    "support/program.py": "",
    "support/starter.py": 'PROGRAM = Path(__file__).with_name("program.py")',
    "integration/conftest.py": "import support.middle",
    "integration/test_a.py": "",
    "unit/test_b.py": "from support.base import thing",
    "unit/test_c.py": "from support.starter import start",
    "unit/test_d.py": "from support.basement import thing",
}


@pytest.mark.parametrize(
    ("file", "users"),
    [
        (
            "support/base.py",
            {"support/middle.py", "integration/conftest.py", "integration/test_a.py", "unit/test_b.py"},
        ),
        ("support/program.py", {"support/starter.py", "unit/test_c.py"}),
        ("integration/conftest.py", {"integration/test_a.py"}),
        ("unit/test_b.py", set()),
    ],
)
def test_users_are_found_by_others_too(file: str, users: set[str]) -> None:
    assert find_users(file, TEXTS) == users
