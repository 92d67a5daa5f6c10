"""The history of a table, of the notes that statements leave and the folders that lie there."""
