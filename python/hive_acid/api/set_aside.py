"""Taking a committed write ID back. Importing this imports sqlglot."""

from hive_acid.set_aside.setting_aside import LostFolder, SetAside, SettingAside

__all__ = [
    "LostFolder",
    "SetAside",
    "SettingAside",
]
