"""The metastore over thrift: its calls, between thrift's objects and our values."""
