"""The folders and files of a table that hold the rows of a snapshot."""
