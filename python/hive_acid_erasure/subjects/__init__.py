"""The people: how texts name them, and how texts lose their names."""
