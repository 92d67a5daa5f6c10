"""Conditions of errors, as tests tell them apart that are about no single sub-condition."""

from __future__ import annotations

from hive_acid.errors import HiveAcidError


def main_condition(error: HiveAcidError) -> str:
    """The condition without its sub-condition."""
    return str(error.getCondition()).partition(".")[0]
