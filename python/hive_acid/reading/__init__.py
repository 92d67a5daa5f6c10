"""Reading: snapshots, the transactions that keep them, how files are read."""
