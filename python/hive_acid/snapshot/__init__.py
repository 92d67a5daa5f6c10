"""Which folders and files of a table hold the rows of a snapshot."""
