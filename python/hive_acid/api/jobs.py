"""Jobs of Spark that a tool starts. Importing this imports PySpark."""

from hive_acid.bridge.jvm import job_tag as job_tag
from hive_acid.bridge.jvm import run_job as run_job
from hive_acid.spark_lines import inheriting as inheriting
