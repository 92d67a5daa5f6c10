"""Canonical JSON: one spelling of each value, so that a signature covers the value."""

from __future__ import annotations

import json
from typing import Any


def format_canonical(value: Any) -> bytes:
    """UTF-8 with sorted keys and no blanks. Raises ValueError for floats, other keys than texts and lone surrogates."""
    _check(value)
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode()


def _check(value: Any) -> None:
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("a key is no text")
        for item in value.values():
            _check(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _check(item)
    elif not (value is None or isinstance(value, str | int)):  # a float has several spellings
        raise ValueError(f"no canonical form for {type(value).__name__}")
