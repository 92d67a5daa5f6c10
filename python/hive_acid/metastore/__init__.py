"""The Hive Metastore: a protocol in our own types, a thrift client, an in-memory double."""
