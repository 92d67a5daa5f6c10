"""The packages beside this one, which a call looks up by name: it works without those that it does not need.

A wing stands on `hive_acid.api`. The core imports none, so that each may be absent. The extra that brings a wing's
libraries has the name of its package, without `hive_acid_`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

_CORE: Final = __name__.partition(".")[0]


def load_wing(module: str, what: str) -> Any:
    """A module of a wing, such as `hive_acid_local`, for `what` the user asked for.

    Raises HIVE_ACID_CONFIGURATION.EXTRA_MISSING if the wing, or a library that the module imports, is not installed.
    """
    with needing(find_extra(module), what):
        return import_module(module)


def find_extra(module: str) -> str:
    """The extra that brings the libraries of the wing of this module."""
    return module.partition(".")[0].removeprefix(f"{_CORE}_")


def is_there(module: str) -> bool:
    """True if the wing of this module is installed, with or without its libraries. Imports nothing."""
    return find_spec(module.partition(".")[0]) is not None


def check_libraries(extra: str, what: str, *libraries: str) -> None:
    """Raises HIVE_ACID_CONFIGURATION.EXTRA_MISSING for a library that is not installed. Imports none."""
    for library in libraries:
        with needing(extra, what):
            if find_spec(library) is None:
                raise ModuleNotFoundError(name=library)


def find_version() -> str:
    """The version of this package, which its wings share."""
    version: str = import_module(_CORE).__version__
    return version


@contextmanager
def needing(extra: str, what: str) -> Iterator[None]:
    """If an import in the block fails because a package is missing, the error names the extra to install.

    Raises HIVE_ACID_CONFIGURATION.EXTRA_MISSING. A module that an installed package of ours lacks is another fault, and
    stays a ModuleNotFoundError.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing == _CORE or (missing.startswith(f"{_CORE}_") and is_there(missing)):
            raise
        from hive_acid.errors import build_error

        condition = "HIVE_ACID_CONFIGURATION.EXTRA_MISSING"
        raise build_error(condition, what=what, package=missing, extra=extra) from error
