"""Notes that writes leave with the data."""
