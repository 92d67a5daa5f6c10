"""Statements that show or end what a metastore knows of transactions, locks and compactions, and their rows."""
