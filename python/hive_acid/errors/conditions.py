"""conditions.json, the file of all conditions that Python and the shim share, in the form of Spark's own.

A condition with a `subClass` is raised by one of its sub-conditions, as `MAIN.SUB`: its message is that of the main
condition and, after a space, that of the sub-condition. The SQLSTATE is the sub-condition's if it has one of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

PLACEHOLDER = re.compile(r"<(\w+)>")
_SUB_CONDITIONS = "subClass"


@dataclass(frozen=True)
class Condition:
    """A condition that can be raised. `reason` is the sub-condition's part of `message`, empty if there is none."""

    name: str
    class_name: str
    message: str
    sql_state: str
    reason: str = ""

    @property
    def parameters(self) -> frozenset[str]:
        """The names that fill the message."""
        return frozenset(PLACEHOLDER.findall(self.message))


@cache
def load_conditions() -> Mapping[str, Mapping[str, Any]]:
    """The file as it is: main condition → its `class`, `message`, `sqlState` and, for some, `subClass`."""
    text = resources.files("hive_acid.errors").joinpath("conditions.json").read_text(encoding="utf-8")
    conditions: Mapping[str, Mapping[str, Any]] = json.loads(text)
    return conditions


@cache
def list_conditions() -> Mapping[str, Condition]:
    """Every condition that can be raised, by name: main conditions without sub-conditions, and all sub-conditions."""
    found: dict[str, Condition] = {}
    for main, entry in load_conditions().items():
        message, state = entry["message"], entry["sqlState"]
        if _SUB_CONDITIONS not in entry:
            found[main] = Condition(main, entry["class"], message, state)
        for sub, part in entry.get(_SUB_CONDITIONS, {}).items():
            name, reason = f"{main}.{sub}", part["message"]
            found[name] = Condition(name, entry["class"], f"{message} {reason}", part.get("sqlState", state), reason)
    return found


def find_condition(name: str) -> Condition:
    """Raises KeyError for a name that cannot be raised."""
    return list_conditions()[name]


def fill(template: str, params: Mapping[str, str]) -> str:
    """The template with its parameters. Raises KeyError for a missing one."""
    return PLACEHOLDER.sub(lambda match: params[match[1]], template)
