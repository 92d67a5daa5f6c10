"""Statements about transactions, locks and compactions, and the rows they show."""
