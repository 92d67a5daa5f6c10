"""The guided tour of `hive-acid demo`: real data, a real metastore, and every count checked by other means.

pandas works out what each statement changes and leaves. In the end pyarrow counts the rows in the files.
"""
