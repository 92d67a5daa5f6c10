"""The guided tour of `hive-acid demo`."""
