"""The documents say what the code says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from architecture.documents import DOCUMENTS, ROOT, TABLES, blocks, output, program, with_table

REWRITE = "write the tables anew: ./dev py python/tests/architecture/documents.py"


@pytest.mark.parametrize("name", TABLES)
def test_a_table_made_from_the_code_is_up_to_date(name: str) -> None:
    document, table = TABLES[name]
    text = document.read_text("utf-8")
    assert text == with_table(text, name, table()), REWRITE


@pytest.mark.parametrize("document", [d for d in DOCUMENTS if program(d)], ids=lambda path: path.name)
def test_the_python_of_a_document_runs_as_pasted_and_prints_what_the_document_shows(
    document: Path, tmp_path: Path
) -> None:
    script = tmp_path / "pasted.py"
    script.write_text(program(document), "utf-8")
    done = subprocess.run(
        [sys.executable, script],
        cwd=tmp_path,
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout == output(document)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_python_block_is_run(document: Path) -> None:
    assert [block.text for block in blocks(document) if block.language == "python" and block.mark != "runnable"] == []


def test_the_readme_and_the_way_in_have_something_to_run() -> None:
    assert {document.name for document in DOCUMENTS if program(document)} >= {"README.md", "onboarding.md"}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_within_the_repository_lead_somewhere(document: Path) -> None:
    text = document.read_text("utf-8")
    targets = [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]
    anchors = {
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", text, re.M)
    }
    missing = [
        target
        for target in targets
        if (target[1:] not in anchors if target.startswith("#") else not (document.parent / target).exists())
    ]
    assert missing == []


def test_files_named_in_the_documents_exist() -> None:
    """Paths in code spans that begin at the root of the repository."""
    pattern = re.compile(r"`((?:python|jvm-shim|sql-tests|docs)/[\w./*-]+)`")
    named = {(document.name, path) for document in DOCUMENTS for path in pattern.findall(document.read_text("utf-8"))}
    assert named
    assert [(document, path) for document, path in sorted(named) if not any(ROOT.glob(path.rstrip("/")))] == []
