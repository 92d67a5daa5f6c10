"""A FileSystem on the local disk without a JVM, for what real servers look at, and an engine that copies lines."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from hive_acid.compaction.plan.engine import FoldingJob
from hive_acid.errors import build_error
from hive_acid.model.names import is_hidden
from hive_acid.snapshot.filesystem import ListedFile, Listing
from hive_acid.wire.compaction_spec import FoldedFile
from hive_acid.wire.write_spec import WriteResult, WrittenFolder


class DiskFileSystem:
    """The part of it that a compaction needs."""

    tasks_see_local_files = True

    def list_trees(self, roots: Sequence[str]) -> list[Listing]:
        return [_list(root) for root in roots]

    def hidden_folders(self, roots: Sequence[str]) -> list[str]:
        found = (path for root in roots for path in find_path(root).iterdir())
        return sorted(str(path) for path in found if path.is_dir() and is_hidden(path.name))

    def read_text(self, path: str) -> str:
        return find_path(path).read_text()

    def exists(self, path: str) -> bool:
        return find_path(path).exists()

    def make_folder(self, path: str) -> None:
        find_path(path).mkdir(parents=True, exist_ok=True)

    def write_text(self, path: str, text: str) -> None:
        self.make_folder(path.rpartition("/")[0])
        find_path(path).write_text(text)

    def rename(self, source: str, target: str) -> None:
        if self.exists(target):
            raise build_error("HIVE_ACID_STORAGE", path=target, action="renaming", reason="the target exists")
        find_path(source).rename(find_path(target))

    def delete_tree(self, path: str) -> None:
        shutil.rmtree(find_path(path), ignore_errors=True)


class LineEngine:
    """Folds files whose rows are their lines."""

    def compact(self, job: FoldingJob) -> WriteResult:
        """Writes the lines of all files that each result is made of, one after the other."""
        made = [
            (file.folder, f"bucket_{file.bucket:05d}", "".join(map(_read_lines, file.groups)))
            for file in job.message().files
        ]
        for folder, name, lines in made:
            path = find_path(f"{job.staging}/{folder}/{name}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(lines)
        return WriteResult(
            tuple(
                WrittenFolder(folder, lines.count("\n"), len(lines), (name,), sizes=(len(lines),))
                for folder, name, lines in made
            )
        )


def _read_lines(group: tuple[tuple[FoldedFile, ...], ...]) -> str:
    return "".join(find_path(file.path).read_text() for run in group for file in run)


def find_path(path: str) -> Path:
    """Where it lies, spelled as a metastore spells it."""
    return Path(urlsplit(path).path)


def _list(root: str) -> Listing:
    base = find_path(root)
    if not base.exists():
        return Listing(root, exists=False)
    paths = [path for path in sorted(base.rglob("*")) if not any(map(is_hidden, path.relative_to(base).parts[:-1]))]
    files = [
        ListedFile(str(path.relative_to(base)), path.stat().st_size, path.stat().st_mtime_ns // 1_000_000)
        for path in paths
        if path.is_file()
    ]
    folders = [str(path.relative_to(base)) for path in paths if path.is_dir() and not is_hidden(path.name)]
    return Listing(root, tuple(files), tuple(folders))
