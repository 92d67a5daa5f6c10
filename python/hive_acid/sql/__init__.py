"""Canonical statements to row-change queries: text in, text out, by sqlglot.

In a canonical statement every expression of the user is a placeholder (`__e1`), so nothing the user wrote is printed.
"""
