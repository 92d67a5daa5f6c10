"""The form of a setting."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Setting:
    """A Spark configuration key of ours. Values are whole numbers from `minimum` on, unless `default` is a text.

    A limit is a whole number up to `maximum`, or empty for none.
    `hive_names` are settings of Hive that mean the same and serve where ours is not set, the first one first; times
    have Hive's spelling there. A value of theirs below `minimum` counts as `minimum`.
    `of_application`: it is read from the configuration of the Spark application, and a session's `SET` has no effect.
    """

    key: str
    default: int | str
    meaning: str
    minimum: int = 0
    hive_names: tuple[str, ...] = ()
    maximum: int | None = None
    of_application: bool = False
