"""The face of the core: the names that wings and other tools can build on.

```
tables          tables and partitions, and the metastore that describes them
snapshots       write IDs that a snapshot sees, and the folders of a table that it reads
files           names of files and folders, and the notes that lie with them
storage         the file system of a table
connections     connections to a metastore: the settings that ask for one, and its parts
statements      transactions and locks, and statements about them
catalogs        catalogs that have metastores of their own, and what the shim asks about them
compaction      the queue of compactions, what a table needs, and the services that do it
sessions        Spark sessions that know transactional tables, and their transactions
jobs            jobs of Spark that a tool starts
table_calls     the calls of `AcidTable`, which a session carries out in its own way
messages        messages between Python and the shim
expressions     the parts of SQL texts
settings        settings of the environment and of a metastore
conditions      errors, and how they are built
secrets         names and secrets that errors and log records must not show
extras          the version of an installation, its jars, and libraries that it may lack
clocks          the time
command_line    what the commands of `hive-acid` have in common
```

Each module has a line `from … import name as name` for each of its names, and no code of its own. Any other name may
change in any release.
"""
