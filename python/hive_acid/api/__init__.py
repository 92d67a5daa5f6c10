"""The face of the core: the names that wings and tools of others may build on.

```
conditions      errors, and how they are built
extras          libraries that an installation may lack
settings        where the surroundings say that a metastore is
sessions        Spark sessions that know transactional tables
downloads       published files that are fetched once and checked
files           names of files and folders, and the notes that lie with them
command_line    what the commands of `hive-acid` have in common
```

Each module lists its names in `__all__` and has no code of its own. A name that none lists may change in any release.
"""
