"""What is wrong with a table, and what cures it."""
