"""The shim's jar, and how it comes into a JVM."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyspark

from hive_acid import __version__
from hive_acid.errors import build_error
from hive_acid.shim_jars import SHIM_JARS
from hive_acid.spark_lines import LINES, find_line, line_of

EXTENSION = "hiveacid.Extensions"
CONNECT_PLUGIN = "hiveacid.connect.TableCallPlugin"
_DESCRIPTION = "hiveacid/shim.properties"
_GROWING_LOADER = "org.apache.spark.util.MutableURLClassLoader"


def find_shim_jar() -> Path:
    """The shim's jar for the running Spark line. Raises HIVE_ACID_CONFIGURATION if there is no such line or jar."""
    line = find_line()
    jar = SHIM_JARS / f"spark-{line}" / "hive-acid-shim.jar"
    if not jar.is_file():
        lines = [held for held in LINES if (jar.parent.parent / f"spark-{held}" / jar.name).is_file()]
        found = {"version": pyspark.__version__, "jar": jar, "lines": ", ".join(lines) or "none", "line": line}
        raise build_error("HIVE_ACID_CONFIGURATION.NO_SHIM", **found)
    return jar


def is_loaded(jvm: Any) -> bool:
    """True if the JVM's class loader knows the shim."""
    return _loader(jvm).getResource(f"{EXTENSION.replace('.', '/')}.class") is not None


def load(jvm: Any, jar: Path) -> None:
    """Adds the jar to the classes of the driver; Spark does so for executors, by `spark.jars`.

    Before there is a SparkContext, for its session looks for its extensions when it is made. `spark.jars` alone comes
    too late where the JVM runs already: under spark-submit, in a shell, in a notebook. SparkSubmit, which has started
    it in all of these, has left a class loader that grows. Raises HIVE_ACID_CONFIGURATION if there is none.
    """
    if is_loaded(jvm):
        return
    loader = _loader(jvm)
    while loader is not None and loader.getClass().getName() not in (
        _GROWING_LOADER,
        "org.apache.spark.util.ChildFirstURLClassLoader",
    ):
        loader = loader.getParent()
    if loader is None:
        raise build_error("HIVE_ACID_CONFIGURATION.SHIM_NOT_LOADABLE", jar=jar)
    loader.addURL(jvm.java.io.File(str(jar)).toURI().toURL())


def refuse_other(jvm: Any, spark_version: str) -> None:
    """Raises HIVE_ACID_CONFIGURATION unless the shim that the JVM has is this package's, made for this Spark's line.

    Another one comes by `spark.jars` of a cluster's own settings, or from an older installation. The messages between
    the two halves have no fixed form from one version to the next.
    """
    described = _describe(jvm)
    if described == {"version": __version__, "spark": line_of(spark_version)}:
        return
    raise build_error(
        "HIVE_ACID_CONFIGURATION.SHIM_MISMATCH",
        jarVersion=described.get("version") or "unknown",
        jarSpark=described.get("spark") or "unknown",
        version=__version__,
        spark=spark_version,
        jar=find_shim_jar(),
    )


def _describe(jvm: Any) -> dict[str, str]:
    """The jar's description of itself; nothing if it is older than that."""
    stream = _loader(jvm).getResourceAsStream(_DESCRIPTION)
    if stream is None:
        return {}
    properties = jvm.java.util.Properties()
    try:
        properties.load(stream)
    finally:
        stream.close()
    return {str(key): str(properties.getProperty(key)) for key in properties.stringPropertyNames()}


def _loader(jvm: Any) -> Any:
    return jvm.java.lang.Thread.currentThread().getContextClassLoader()
