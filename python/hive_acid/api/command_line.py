"""Parts that commands of `hive-acid` share. The module of a wing adds its command by a function `add_command`."""

from hive_acid.commands.shared import FAILED, INTERRUPTED, Commands

__all__ = ["FAILED", "INTERRUPTED", "Commands"]
