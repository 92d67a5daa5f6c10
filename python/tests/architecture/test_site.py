"""The docs site is built without a warning, has all pages, and loads nothing from the network."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hive_acid
from architecture.documents import DOCS, ROOT

LOADED = re.compile(
    r"<(?:script|img|iframe|link)\b[^>]*?\b(?:src|href)=[\"']?((?:https?:)?//[^\"' >]+)"  # by a page
    r"|url\([\"']?((?:https?:)?//[^\"')]+)|@import\s+[\"']((?:https?:)?//[^\"']+)"  # by a style sheet
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `./dev docs` builds it, where any warning is an error: broken links, pages that no menu names."""
    folder = tmp_path_factory.mktemp("site")
    command = (sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(DOCS / "mkdocs.yml"), "-d", str(folder))
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "WARNING" not in done.stderr, done.stderr[-3000:]
    return folder


def test_every_document_is_a_page(site: Path) -> None:
    pages = {path.relative_to(DOCS).with_suffix(".html") for path in DOCS.rglob("*.md")}
    assert pages
    assert sorted(str(page) for page in pages if not (site / page).is_file()) == []


def test_the_api_page_has_the_docstrings(site: Path) -> None:
    text = (site / "reference" / "api.html").read_text("utf-8")
    api = [name for name in hive_acid.__all__ if not name.startswith("_")]
    for name in (*api, "whenNotMatchedBySourceDelete", "LockTimeout"):
        assert re.search(rf'id="[\w.]*\b{name}"', text), name


def test_no_page_loads_anything_from_the_network(site: Path) -> None:
    found = {
        str(path.relative_to(site)): loaded
        for path in site.rglob("*")
        if path.suffix in (".html", ".css", ".svg")
        and (loaded := ["".join(match) for match in LOADED.findall(path.read_text("utf-8"))])
    }
    assert found == {}
