"""Real processes and every fault: one metastore and its drivers for the whole folder."""
