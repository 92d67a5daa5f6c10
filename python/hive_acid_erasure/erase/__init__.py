"""The phases of an erasure, each of which goes on where an earlier run has ended."""
