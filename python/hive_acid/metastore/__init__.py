"""The Hive Metastore: a protocol in our own types, and a client that speaks thrift."""
