"""The face of the core: the names that wings and tools of others may build on.

```
tables          tables and partitions, and the metastore that describes them
snapshots       write IDs that a snapshot sees, and what it makes of the folders of a table
files           names of files and folders, and the notes that lie with them
storage         the file system of a table
statements      transactions, locks, the history of a table, and taking a write ID back
compaction      the queue of compactions, what a table needs, and the services that see to it
sessions        Spark sessions that know transactional tables
settings        where the surroundings say that a metastore is, and settings of a metastore
conditions      errors, and how they are built
extras          libraries that an installation may lack
downloads       published files that are fetched once and checked
clocks          the time, and how old something is
command_line    what the commands of `hive-acid` have in common
progress        how far long work is
```

Each module lists its names in `__all__` and has no code of its own. A name that none lists may change in any release.
"""
