"""The commands of this wing. Each module adds one by `add_command`."""
