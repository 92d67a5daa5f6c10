"""The two halves call each other: what the shim asks Python for, and what Python asks the JVM for."""
