"""What is told of a package that is not installed, and what is not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hive_acid.errors import ConfigurationError
from hive_acid.wings import is_there, load_wing, needing


@pytest.fixture
def wing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a wing that is installed."""
    (tmp_path / "hive_acid_kite").mkdir()
    (tmp_path / "hive_acid_kite" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    return tmp_path / "hive_acid_kite"


def test_a_wing_that_is_not_there_is_named_with_its_extra() -> None:
    assert not is_there("hive_acid_kite.tail")
    with pytest.raises(ConfigurationError) as raised:
        load_wing("hive_acid_kite.tail", "kite_flying")
    assert raised.value.getCondition() == "HIVE_ACID_CONFIGURATION.EXTRA_MISSING"
    assert raised.value.getMessageParameters() == {"what": "kite_flying", "package": "hive_acid_kite", "extra": "kite"}


def test_a_library_of_a_wing_that_is_not_there_is_named(wing: Path) -> None:
    (wing / "tail.py").write_text("import no_such_library.below\n")
    assert is_there("hive_acid_kite.tail")
    with pytest.raises(ConfigurationError) as raised:
        load_wing("hive_acid_kite.tail", "kite_flying")
    found = {"what": "kite_flying", "package": "no_such_library", "extra": "kite"}
    assert raised.value.getMessageParameters() == found
    assert raised.value.__cause__ is not None


def test_a_module_of_a_wing_is_given(wing: Path) -> None:
    (wing / "tail.py").write_text("COLOUR = 'red'\n")
    assert load_wing("hive_acid_kite.tail", "kite_flying").COLOUR == "red"


@pytest.mark.parametrize("text", ["import hive_acid_kite.string", "import hive_acid.string"])
def test_a_module_that_an_installed_package_of_ours_lacks_is_a_fault_of_ours(wing: Path, text: str) -> None:
    (wing / "tail.py").write_text(f"{text}\n")
    with pytest.raises(ModuleNotFoundError):
        load_wing("hive_acid_kite.tail", "kite_flying")


def test_what_is_no_missing_package_is_raised_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError), needing("kite", "kite_flying"):
        _ = 1 / 0
