"""Parts that commands of `hive-acid` share. The module of a wing adds its command by a function `add_command`."""

from hive_acid.commands.shared import DONE, FAILED, INTERRUPTED, NOT_RUNNING, Commands

__all__ = ["DONE", "FAILED", "INTERRUPTED", "NOT_RUNNING", "Commands"]
