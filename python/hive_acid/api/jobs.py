"""Jobs of Spark that a tool starts. Importing this imports PySpark."""

from hive_acid.bridge.jvm import job_tag, run_job
from hive_acid.spark_lines import inheriting

__all__ = [
    "inheriting",
    "job_tag",
    "run_job",
]
