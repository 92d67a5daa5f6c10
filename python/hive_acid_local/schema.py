"""Load the metastore's schema by Derby's `ij`, which speaks any JDBC."""

from __future__ import annotations

import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path

from hive_acid.api.conditions import build_error
from hive_acid_downloads.java import Java
from hive_acid_local.artifacts import SCHEMA_SOURCE, Release
from hive_acid_local.private import make_private


def build_log(template: Path) -> Path:
    """The log of building a template, beside it: it stays when the build fails. For its owner only."""
    return make_private(template.parent / "template-build.log")


def load_schema(dialect: str, url: str, template: Path, files: Sequence[Path], java: Java, release: Release) -> None:
    """Run Hive's schema script for `dialect` ("derby" or "postgres") over the JDBC `url`.

    `files` are the metastore's artifacts. Any error of the script raises HIVE_ACID_LOCAL_METASTORE.PROGRAM_ENDED.
    """
    source = next(path for path in files if path.name.startswith(SCHEMA_SOURCE))
    script, output = make_private(template / "schema.sql"), build_log(template)
    script.write_text(
        f"connect '{url}';\n{_schema_script(source, dialect, release.schema)}\n{release.schema_changes}\nexit;\n",
        "utf-8",
    )
    drivers = [str(path) for path in files if path.name.startswith(("derby", "postgresql"))]
    command = [str(java.path), f"-Dderby.stream.error.file={template / 'derby.log'}"]
    command += ["-Djdbc.drivers=org.postgresql.Driver", "-cp", ":".join(drivers)]
    command += ["org.apache.derby.tools.ij", str(script)]
    with output.open("ab") as sink:
        start = sink.tell()
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, cwd=template, check=False)
    said = output.read_bytes()[start:].decode("utf-8", "replace")
    errors = [line for line in said.splitlines() if line.startswith(("ERROR", "JAVA ERROR"))]
    if done.returncode or errors:
        params = {"program": "ij", "code": done.returncode, "log": output}
        tail = "\n".join(errors[:20]) or said[-2000:]
        raise build_error("HIVE_ACID_LOCAL_METASTORE.PROGRAM_ENDED", **params, tail=tail)
    script.unlink()  # holds the password, and so does what ij echoed
    output.unlink()


def _schema_script(source: Path, dialect: str, version: str) -> str:
    ending = f"/sql/{dialect}/hive-schema-{version}.{dialect}.sql"
    with tarfile.open(source, "r:gz") as archive:
        for member in archive:
            if member.name.endswith(ending):
                content = archive.extractfile(member)
                if content is not None:
                    return content.read().decode("utf-8")
    raise FileNotFoundError(f"{source} holds no {ending}")
