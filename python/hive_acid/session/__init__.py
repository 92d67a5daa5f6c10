"""Sessions of Spark that know transactional tables: settings, metastores, the jar, a side-car where no Python is."""
