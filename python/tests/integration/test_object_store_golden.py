"""Golden files of each way of writing come out on an S3 server as on local files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive_acid_sqltest.suite import find_suite
from support.objectstore import golden_program
from support.objectstore.lake import Lake, start_lake

pytestmark = pytest.mark.beyond_the_gate(
    "in memory, faults at every step: `unit/execution/test_committer_faults.py`; "
    "the manifest committer on local files: `CommittedOutputSuite`"
)

WRITING = {"bucketed", "compact", "ddl", "insert_only", "merge", "multi_insert", "overwrite", "transactions"}
"""One for each way in which files come there: into buckets, by a compaction, by a metastore that renames, beside others
of an insert-only table, with delete files, into several tables, as a base, under several statement IDs.

The others read, or write by the same ways; the storage does not touch what their statements mean.
"""
FILES = tuple(file.name for file in find_suite(golden_program.SUITE) if file.name in WRITING)
LIMIT_SECONDS = 2400.0
COPIED = "/sqltest_ddl_"
"""A partition that is renamed is copied, by the metastore."""


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    with start_lake(tmp_path_factory.mktemp("lake")) as started:
        yield started


def test_golden_files_come_out_as_they_were_recorded(lake: Lake) -> None:
    program = [sys.executable, golden_program.__file__, lake.store, lake.relay.endpoint, lake.metastore.uri]
    env = {**os.environ, "PYTHONPATH": str(Path(golden_program.__file__).parents[2])}
    done = subprocess.run(
        [*program, *FILES], capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False, env=env
    )
    assert set(FILES) == WRITING
    assert done.returncode == 0, done.stderr
    assert dict(map(json.loads, done.stdout.splitlines())) == dict.fromkeys(FILES, "")
    copies = [request.key for request in lake.relay.requests if request.copies]
    written = [key for key in copies if ("delta_" in key or "base_" in key) and COPIED not in key]
    assert not written, "Spark's writer alone copies"
    assert lake.uploads() == []
