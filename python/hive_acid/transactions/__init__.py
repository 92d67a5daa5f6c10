"""Transactions of the metastore: their life, locks, heartbeat and the rules under which a statement may write."""
