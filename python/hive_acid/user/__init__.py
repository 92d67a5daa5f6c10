"""The Python API in a session: tables, MERGE, transactions, dry runs; beside a JVM or as a client of Spark Connect."""
