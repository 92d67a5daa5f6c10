"""The IPython in which a session runs, in a notebook or in its shell."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Any

from hive_acid.wings import load_wing


def show_in_notebook() -> None:
    """Has IPython, if this process runs in it, show statements and errors as `hive_acid_ops` draws them.

    Without that wing they are shown as ever. A look never keeps a session from starting.
    """
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is not None:
        with suppress(Exception):
            load_wing("hive_acid_ops.looks.notebook", "a notebook").set_up(shell)
