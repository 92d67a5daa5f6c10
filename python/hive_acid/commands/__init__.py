"""The commands of `hive-acid`, one module per family: its arguments, and what each command prints and returns."""
