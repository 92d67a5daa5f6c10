"""Notes that writes leave with the data, and what is read from them."""
