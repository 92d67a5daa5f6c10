"""Catalogs of a session that have metastores of their own: their options, what is in them, and what is made there."""
