"""Files of ORC and Parquet as pyarrow reads them, for the numbers that a search must agree on."""
