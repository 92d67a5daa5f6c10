"""A real HDFS of two NameNodes and a lake of tables on it, for the whole folder."""
