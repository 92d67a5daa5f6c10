"""Writing to a table: its rules, its files, where they go, what keeps others out."""
