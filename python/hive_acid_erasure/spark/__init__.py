"""The engine of erasures in a Spark session."""
