"""The certificate as a page that an auditor reads, in one file without scripts or addresses."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from hive_acid_erasure.certificate.certificate import Certificate
from hive_acid_erasure.certificate.limits import find_limits
from hive_acid_erasure.certificate.summary import HEADS, describe_kind, summarize
from hive_acid_erasure.times import show_ms, show_time

_STYLE = (
    "body{font:16px/1.5 sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;width:100%;margin:1rem 0}"
    "th,td{border:1px solid #ccc;padding:.3rem .6rem;text-align:left;vertical-align:top;overflow-wrap:anywhere}"
    "th{background:#f3f3f3}.erased{color:#06632b}.pending{color:#9a1b1b}code{font-size:.9em;overflow-wrap:anywhere}"
)

_SEARCHED = (
    "{files} files of {bytes} bytes; {not_searched} could not be searched, "
    "{skipped_by_statistics} were skipped by their statistics"
)


def format_page(certificate: Certificate, content: bytes) -> str:
    """The page. `content` are the bytes of the certificate's file, whose SHA-256 it shows."""
    payload, limits = certificate.payload, find_limits(certificate.payload)
    state, summary = payload["verdict"]["state"], summarize(payload)
    headline = describe_kind(payload)
    parts = [
        f'<h1 class="{escape(state)}">{headline}</h1>',
        f"<p>{escape(summary.statement)}</p>",
        _section("", [head.capitalize() for head in HEADS], summary.rows),
        _facts(payload, certificate, content),
        _section("Places that are left", ("Kind", "Where", "What"), _places(payload["verdict"]["missing"])),
        *(_table(table, limits.get(table["table"], "")) for table in payload["tables"]),
        _section("Phases", ("Phase", "When", "What"), [_phase(phase) for phase in payload["phases"]]),
        _section("What no search reaches", ("Blind spot",), [(spot,) for spot in payload["blind_spots"]]),
        "<p>This page repeats the certificate and is not signed itself. "
        "<code>hive-acid verify CERTIFICATE --public-key FILE</code> checks the certificate.</p>",
    ]
    head = f'<meta charset="utf-8"><title>{headline}</title><style>{_STYLE}</style>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(parts) + "\n</body></html>\n"


def _facts(payload: Mapping[str, Any], certificate: Certificate, content: bytes) -> str:
    subjects = payload["subjects"]
    facts = [
        ("Kind", payload["kind"]),
        ("Erasure", payload["erasure"]),
        ("As of", show_time(payload["as_of"]) if "as_of" in payload else "the last search of each table"),
        ("Issued at", show_time(payload["issued_at"])),
        ("Subjects", f"{subjects['count']}, known by {subjects['hash']} with key {subjects['key']}"),
        ("Deadline", payload["plan"].get("deadline") or "none"),
        ("After the deadline", "yes" if payload["verdict"].get("after_deadline") else "no"),
        ("Versions", ", ".join(f"{name} {value}" for name, value in payload["versions"].items())),
        ("Signed by the key", certificate.public_hex),
        ("SHA-256 of the certificate", hashlib.sha256(content).hexdigest()),
    ]
    return _section("", ("", ""), facts)


def _phase(phase: Mapping[str, Any]) -> tuple[str, ...]:
    return phase["phase"], show_time(phase["at"]), phase["detail"]


def _table(table: Mapping[str, Any], limit: str) -> str:
    keys = [(", ".join(key["parts"]), _types(key), len(key["hashes"])) for key in table["keys"]]
    facts = [
        ("Identity", table["identity"]),
        ("Locations", ", ".join(table["locations"])),
        *_snapshot(table.get("snapshot")),
        ("Rows of subjects at the beginning", table.get("found", {}).get("matched", "not counted")),
        ("Transactions", _join(table.get("deletions", []), "transaction {txn_id}, write ID {write_id}, {rows} rows")),
        ("Compactions", _join(table.get("compactions", []), "{id} {partition}")),
        ("Files removed", len(table.get("files_removed", []))),
        ("Searched", _join([table["searched"]], _SEARCHED) if "searched" in table else len(table["files"])),
    ]
    if limit:
        left_out = len(table.get("partitions", {}).get("outside", ()))
        facts.append(("Partitions that the plan chooses", f"{limit}; {left_out} others were left out"))
    if "reach" in table:
        facts.append(
            ("Searched for", _join(table["reach"], "{asked} in {table}, {without} of them without a key or link"))
        )
    if "cross_check" in table:
        facts.append(("Read again by pyarrow", _describe_cross_check(table["cross_check"])))
    titles = ("File", "Bytes", "Modified", "Searched as", "Rows", "Of subjects", "SHA-256 if rewritten")
    checksums = [_file(file) for file in table["files"] if file["searched"] == "checksums"]
    files = [_file(file) for file in table["files"] if file["searched"] != "checksums"]
    return "\n".join(
        (
            _section(f"Table {table['table']}", ("", ""), facts),
            _section("Keys", ("Expressions", "Types", "Hashes"), keys, 3),
            _section("Found there", ("Kind", "Where", "What"), _places(table["places"]), 3),
            _section("Files that were searched", titles, files, 3),
            _fold(f"{len(checksums)} files of checksums", _section("", titles, checksums)) if checksums else "",
            _section("Files that were removed", ("File",), [(path,) for path in table.get("files_removed", [])], 3),
        )
    )


def _snapshot(snapshot: Mapping[str, Any] | None) -> list[tuple[str, Any]]:
    if snapshot is None:
        return []
    write_id, listed, counted = (snapshot[name] for name in ("high_write_id", "listed_at", "counted_at"))
    return [
        ("As of write ID", "none, a plain table" if write_id is None else write_id),
        ("Files listed last", show_time(listed) if listed else "not known"),
        ("Visible rows counted", show_time(counted) if counted else "not counted"),
    ]


def _file(file: Mapping[str, Any]) -> tuple[Any, ...]:
    modified = show_ms(file["modified_ms"])
    counts = (file["searched"], file["rows"], file["matches"])
    return (file["path"], file["length_bytes"], modified, *counts, file.get("sha256", ""))


def _fold(title: str, content: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{content}</details>"


def _types(key: Mapping[str, Any]) -> str:
    return ", ".join(key["types"]["parts"]) if "types" in key else "not kept"


def _describe_cross_check(compared: Mapping[str, Any]) -> str:
    found = "{files} files with {rows} rows".format_map(compared)
    others = _join(compared["not_checked"], "{files}: {reason}")
    alone = "; ".join(f"{', '.join(each['key'])}: {each['reason']}" for each in compared.get("one_reader", ()))
    unsure = f"; rows with a value that Spark may write differently: {compared.get('unsure_rows', 0)}"
    return f"{found}; not read again (reason): {others}; keys not computed again (reason): {alone or 'none'}{unsure}"


def _join(entries: Iterable[Mapping[str, Any]], template: str) -> str:
    return "; ".join(template.format_map(entry) for entry in entries) or "none"


def _places(places: Iterable[Mapping[str, Any]]) -> list[tuple[Any, ...]]:
    return _rows(places, ("kind", "where", "detail"))


def _rows(entries: Iterable[Mapping[str, Any]], names: Sequence[str]) -> list[tuple[Any, ...]]:
    return [tuple(entry.get(name, "") for name in names) for entry in entries]


def _section(title: str, heads: Sequence[str], rows: Sequence[Sequence[Any]], level: int = 2) -> str:
    heading = f"<h{level}>{escape(title)}</h{level}>" if title else ""
    if not rows:
        return f"{heading}<p>Nothing.</p>"
    head = "".join(f"<th>{escape(text)}</th>" for text in heads) if any(heads) else ""
    body = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"{heading}<table>{f'<tr>{head}</tr>' if head else ''}{body}</table>"
