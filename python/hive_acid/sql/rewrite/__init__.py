"""One file per statement: a function from the parsed canonical statement to its row-change query."""
