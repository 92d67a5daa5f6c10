"""The golden-file runner: SQL files in, their results compared with what was recorded.

```
DIR/inputs/name.sql        statements and directives       read by `parsing`, split by `splitting`
DIR/results/name.sql.out   what they answered              printed, parsed and compared by `golden`
```

Inputs and results have the form of Apache Spark's SQLQueryTestSuite (release 4.x) with additions for transactional
tables and for several sessions, which `inputs` lists.
Everything but `spark_session` works on values, or on the `Session` protocol of `runner`.
"""

from hive_acid_sqltest.errors import SuiteError

__all__ = ["SuiteError"]
