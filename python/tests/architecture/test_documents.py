"""The documents say what the code says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from architecture.documents import (
    DOCS,
    DOCUMENTS,
    README,
    ROOT,
    TABLES,
    TOUR,
    blocks,
    is_runnable,
    output,
    program,
    with_table,
)
from hive_acid.spark_lines import is_before
from hive_acid_sqltest.input import parsing
from support import holds

REWRITE = "write the tables anew: ./dev py python/tests/architecture/documents.py"


@pytest.mark.parametrize("name", TABLES)
def test_a_table_made_from_the_code_is_up_to_date(name: str) -> None:
    document, table = TABLES[name]
    text = document.read_text("utf-8")
    assert text == with_table(text, name, table()), REWRITE


def shown(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


ALONE = [(document,) for document in DOCUMENTS if is_runnable(document) and document not in TOUR]


@pytest.mark.parametrize("documents", [TOUR, *ALONE], ids=lambda documents: shown(documents[0]))
def test_the_python_of_the_documents_runs_as_pasted_and_prints_what_they_show(
    documents: tuple[Path, ...], tmp_path: Path
) -> None:
    """Those of the tour are pasted one after the other into one session, each other one into a session of its own."""
    text = "\n".join(map(program, documents))
    if is_before("4.0") and ".getCondition()" in text:
        pytest.skip("it asks an error of PySpark by the name that it has had since 4.0")
    script = tmp_path / "pasted.py"
    script.write_text(text, "utf-8")
    done = subprocess.run(
        [sys.executable, script],
        cwd=tmp_path,
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout == "".join(map(output, documents))


@pytest.mark.parametrize("document", DOCUMENTS, ids=shown)
def test_every_block_of_python_or_sql_is_run(document: Path) -> None:
    examples = [block for block in blocks(document) if block.language in ("python", "sql")]
    assert [block.text for block in examples if block.mark != "runnable"] == []


def test_each_page_of_the_tour_and_the_way_in_have_something_to_run() -> None:
    assert [
        shown(document) for document in (*TOUR, DOCS / "internals" / "onboarding.md") if not program(document)
    ] == []


def test_the_readme_can_be_read_at_once_and_begins_with_what_works() -> None:
    lines = README.read_text("utf-8").splitlines()
    assert len(lines) <= 120
    assert lines.index("<!-- /summary -->") < 40


@pytest.mark.parametrize("document", [*DOCUMENTS, ROOT / "CONTRIBUTING.md"], ids=shown)
def test_links_within_the_repository_lead_somewhere(document: Path) -> None:
    text = document.read_text("utf-8")
    targets = [target for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]
    assert [target for target in targets if not leads_somewhere(document, target)] == []


def leads_somewhere(document: Path, target: str) -> bool:
    """True if the target is a file, and has the heading that the target may name."""
    name, _, anchor = target.partition("#")
    file = document.parent / name if name else document
    if not anchor:
        return file.exists()
    titles = re.findall(r"^#+ (.*)$", file.read_text("utf-8"), re.MULTILINE) if file.is_file() else []
    return anchor in {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_files_named_in_the_documents_exist() -> None:
    """Paths in code spans that begin at the root of the repository."""
    pattern = re.compile(r"`((?:python|jvm-shim|sql-tests|docs)/[\w./*-]+)`")
    named = {(document.name, path) for document in DOCUMENTS for path in pattern.findall(document.read_text("utf-8"))}
    assert named
    assert [(document, path) for document, path in sorted(named) if not any(ROOT.glob(path.rstrip("/")))] == []


def test_files_that_the_way_in_names_by_short_paths_exist() -> None:
    """Its short paths stand for those below `python` and below the sources of a part of the shim."""
    text = (DOCS / "internals" / "onboarding.md").read_text("utf-8")
    in_python = re.findall(r"`((?:hive_acid\w*|tests)/[\w./*-]+)`", text)
    in_parts = re.findall(r"`(shim|rows|search)/([\w./*-]+)`", text)
    named = {f"python/{path}" for path in in_python}
    named |= {f"jvm-shim/{part}/src/main/scala/hiveacid/{path}" for part, path in in_parts}
    assert in_python
    assert in_parts
    assert [path for path in sorted(named) if not any(ROOT.glob(path))] == []


def test_the_page_about_golden_files_names_every_directive_and_every_point() -> None:
    text = (ROOT / "sql-tests" / "README.md").read_text("utf-8")
    for word in (*parsing.DIRECTIVES, *parsing._NOT_SUPPORTED, "QUERY-DELIMITER-START", "QUERY-DELIMITER-END"):
        assert f"`--{word}" in text, word
    for point in holds.POINTS:
        assert f"| `{point}` |" in text, point


def test_each_decision_is_named_for_its_title_and_has_its_line_in_the_index() -> None:
    index = (DOCS / "decisions" / "index.md").read_text("utf-8").splitlines()
    records = sorted(set(DOCS.glob("decisions/0*.md")) - {DOCS / "decisions" / "0000-template.md"})
    assert 0 < len(records) <= 30, "merge records of one subject; facts about other programs have a page of their own"
    for record in records:
        number, _, title = record.read_text("utf-8").splitlines()[0].removeprefix("# ").partition(": ")
        words = re.sub(r"[^\w -]", "", title.lower().replace("_", " ")).replace(" ", "-")
        assert record.name == f"{number}-{words}.md"
        assert f"* {number}: [{title}]({record.name})" in index
