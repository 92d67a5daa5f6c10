"""The two ends of a connection to a metastore: who logs in, by a password, a token or a name, and who is trusted."""
