"""Texts of others on a terminal: a certificate or a file's name may hold what moves its cursor or hides its lines."""

from __future__ import annotations


def to_plain_line(text: str) -> str:
    """The text in one line, with escapes in place of characters that are not seen."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
