"""What lies below a table or partition, as one listing, and the text in which many listings travel."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hive_acid.errors import build_error


@dataclass(frozen=True)
class ListedFile:
    """A file: path relative to the root of its listing (`/` between names), length, time of the last change."""

    relative_path: str
    length_bytes: int
    modified_ms: int

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.relative_path.rpartition("/")[2]


@dataclass(frozen=True)
class Listing:
    """Files and folders below `root` at any depth.

    Folders include empty ones. Hidden folders (`_…`, `.…`) are left out with all they hold; hidden files are listed.
    `exists` is False for a root that does not exist, and then there is nothing below it.
    """

    root: str
    files: tuple[ListedFile, ...] = ()
    folders: tuple[str, ...] = ()
    exists: bool = True

    def absolute_path(self, relative_path: str) -> str:
        """The path below the root, as the root is spelled."""
        return f"{self.root.rstrip('/')}/{relative_path}"


_ESCAPE = re.compile(r"%(25|09|0A|0D)|%")


def parse_listings(text: str, roots: Sequence[str]) -> list[Listing]:
    """The listings of `roots`, one each in that order, from the text one call to the JVM returns.

    Lines end with `\\n`, fields are separated by tabs:

        R <tab> 1 or 0 <tab> root          begins the listing of a root, exactly as asked for; 1: it exists
        F <tab> bytes <tab> ms <tab> name  a file in the folder named last (in the root before the first D)
        D <tab> relative path              a folder below the root; its own files follow, subfolders have their own D
        E <tab> number of roots            the last line, so that a text cut short is noticed

    In roots, names and paths `%`, tab, line feed and carriage return are written `%25`, `%09`, `%0A`, `%0D`; every
    other character stands for itself. Raises HIVE_ACID_INTERNAL if the text has another form or other roots.
    """
    lines = text.split("\n")
    if lines[-2:] != [f"E\t{len(roots)}", ""]:
        raise build_error("HIVE_ACID_INTERNAL", reason="The listing of files was cut short")
    blocks: list[list[str]] = []
    for line in lines[:-2]:
        if line.startswith("R\t"):
            blocks.append([])
        elif not blocks:
            raise _malformed(line)
        blocks[-1].append(line)
    if len(blocks) != len(roots):
        raise build_error("HIVE_ACID_INTERNAL", reason=f"{len(blocks)} folders were listed instead of {len(roots)}")
    return [_parse_block(block, root) for block, root in zip(blocks, roots, strict=True)]


def _parse_block(lines: Sequence[str], root: str) -> Listing:
    files: list[ListedFile] = []
    folders: list[str] = []
    prefix = ""
    head = lines[0].split("\t")
    if len(head) != 3 or head[1] not in ("0", "1") or _unescape(head[2]) != root:
        raise _malformed(lines[0])
    for line in lines[1:]:
        match line.split("\t"):
            case ["F", length_bytes, modified_ms, name] if name:
                try:
                    files.append(ListedFile(prefix + _unescape(name), int(length_bytes), int(modified_ms)))
                except ValueError:
                    raise _malformed(line) from None
            case ["D", path] if path:
                folders.append(_unescape(path))
                prefix = folders[-1] + "/"
            case _:
                raise _malformed(line)
    exists = head[1] == "1"
    if not exists and len(lines) > 1:
        raise _malformed(lines[1])
    return Listing(root, tuple(files), tuple(folders), exists)


def _unescape(text: str) -> str:
    def replacement(match: re.Match[str]) -> str:
        if match[1] is None:
            raise _malformed(text)
        return chr(int(match[1], 16))

    return _ESCAPE.sub(replacement, text) if "%" in text else text


def _malformed(line: str) -> Exception:
    return build_error("HIVE_ACID_INTERNAL", reason=f"The listing of files has a malformed line: {line!r}")
