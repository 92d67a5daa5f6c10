"""The rows of the people in each table, and the record of what is known and done, which outlives a kill."""
