"""`AcidTable` in a client of Spark Connect, which has no JVM beside it."""
