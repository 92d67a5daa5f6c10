"""The program that runs golden files on an object store. Arguments: its address, a relay's, the metastore's, and files.

Answers one JSON line for each file: its name, and what differs. Raw files are looked at in a copy on this machine.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import urllib.request
from html import unescape
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

import hive_acid_sqltest.input_run
from hive_acid_sqltest.runner import check_file
from hive_acid_sqltest.spark_session import open_sessions
from hive_acid_sqltest.suite import find_suite
from support.objectstore.session import WAREHOUSE, spark_settings

SUITE = Path(__file__).parents[4] / "sql-tests"


def copy_table(store: str, location: str) -> Path:
    """A copy of what lies at the location."""
    parts = urlsplit(location)
    bucket, prefix = parts.netloc, unquote(parts.path).strip("/") + "/"
    folder = Path(tempfile.mkdtemp(prefix="table-"))
    with urllib.request.urlopen(f"{store}/{bucket}?list-type=2&prefix={quote(prefix)}") as answer:
        keys = [unescape(key) for key in re.findall(r"<Key>(.*?)</Key>", answer.read().decode())]
    for key in keys:
        target = folder / key.removeprefix(prefix)
        if key.endswith("/"):
            target.mkdir(parents=True, exist_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        with urllib.request.urlopen(f"{store}/{bucket}/{quote(key)}") as answer:
            target.write_bytes(answer.read())
    return folder


def main(store: str, relay: str, metastore: str, names: list[str]) -> None:
    folder = Path(tempfile.mkdtemp(prefix="conf-"))
    settings = spark_settings(relay)
    (folder / "spark-defaults.conf").write_text("".join(f"{key} {value}\n" for key, value in settings.items()))
    os.environ["SPARK_CONF_DIR"] = str(folder)
    hive_acid_sqltest.input_run.local_folder = lambda location: copy_table(store, location)
    with open_sessions(metastore, WAREHOUSE) as sessions:
        for file in find_suite(SUITE):
            if file.name in names:
                report = check_file(file, sessions)
                sys.stdout.write(json.dumps([report.name, report.text]) + "\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:4], sys.argv[4:])
