"""The plan of an erasure: the tables, the keys that name people in their rows, and the types of these."""
