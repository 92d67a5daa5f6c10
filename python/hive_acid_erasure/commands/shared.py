"""Exit codes and the printing that the two commands share."""

from __future__ import annotations

from hive_acid_erasure.plain_line import to_plain_line

ERASURE_FAILED, WRONG_CALL, PENDING, SIGNER_NOT_CHECKED = 1, 2, 3, 4
"""Codes of erasures and verifications; 0 means there that nothing is left."""


def print_lines(*lines: str) -> None:
    """Prints texts that may be others': each is one line, whatever it holds."""
    for line in lines:
        print(to_plain_line(line))
