"""What a statement or query reads: snapshots, the transactions that keep them, how files are read."""
