"""The commands `hive-acid erase` and `hive-acid verify`."""
