"""Input files: read, split into statements, and as values."""
