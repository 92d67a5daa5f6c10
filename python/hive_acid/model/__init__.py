"""Values of the ACID world: write-ID lists, names, the bucket codec, tables. Standard library only, no effects."""
