"""Doubles of the systems around the package, in memory: what tests use in the place of a server."""
