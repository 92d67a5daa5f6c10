"""Tools of those who look after a metastore and its tables: the doctor, the Initiator and workers as services."""
