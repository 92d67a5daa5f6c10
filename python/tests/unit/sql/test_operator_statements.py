"""Statements about transactions, locks and compactions are parsed as Hive writes them; who mistypes is told."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_acid.errors import InvalidStatement
from hive_acid.sql.operator_parsing import find_operator_statement
from hive_acid.sql.operator_statements import (
    AbortCompactions,
    AbortTransactions,
    CommitTransaction,
    Compact,
    DescribeDetail,
    NamedTable,
    ParsedStatement,
    RollBackTransaction,
    ShowCompactions,
    ShowLocks,
    ShowTransactions,
    SortKey,
    StartTransaction,
    VacuumDryRun,
    read_statement,
)
from hive_acid.wire import codec

T = NamedTable(("t",))
FULL = (
    "ALTER TABLE spark_catalog.db.t PARTITION (k = 'a', n = -1) COMPACT 'rebalance' CLUSTERED INTO 4 BUCKETS AND WAIT "
    "POOL 'night' WITH OVERWRITE TBLPROPERTIES ('x' = 'y', 'z' = '1') ORDER BY a DESC, b"
)
FULL_VALUE = Compact(
    NamedTable(("spark_catalog", "db", "t"), clause="PARTITION (k = 'a', n = -1)"),
    "rebalance",
    buckets=4,
    waits=True,
    pool="night",
    properties=(("x", "y"), ("z", "1")),
    order_by="a, b",
)
EVERY_FILTER = (
    "SHOW COMPACTIONS db.t PARTITION (k = 1) POOL 'p' TYPE 'Major' STATUS 'ready for cleaning' "
    "ORDER BY starttime DESC, tabname NULLS LAST LIMIT 3"
)
EVERY_FILTER_VALUE = ShowCompactions(
    NamedTable(("db", "t"), clause="PARTITION (k = 1)"),
    pool="p",
    kind="major",
    state="ready for cleaning",
    sort_keys=(SortKey("starttime", True, False), SortKey("tabname", False, False)),
    limit=3,
)
CASES: list[tuple[str, ParsedStatement]] = [
    ("ALTER TABLE t COMPACT 'major'", Compact(T, "major")),
    ('ALTER TABLE t COMPACT "MINOR";', Compact(T, "minor")),
    (FULL, FULL_VALUE),
    ("ALTER TABLE t COMPACT 'minor' AND WAIT POOL 'p'", Compact(T, "minor", waits=True, pool="p")),
    ("SHOW COMPACTIONS", ShowCompactions()),
    ("SHOW COMPACTIONS t", ShowCompactions(T)),
    (EVERY_FILTER, EVERY_FILTER_VALUE),
    ("SHOW COMPACTIONS DATABASE d TYPE 'abort_txn_cleanup'", ShowCompactions(database="d", kind="abort txn cleanup")),
    ("SHOW COMPACTIONS SCHEMA d STATE 'DID_NOT_INITIATE'", ShowCompactions(database="d", state="did not initiate")),
    ("SHOW COMPACTIONS COMPACT_ID = 5", ShowCompactions(compaction_id=5)),
    ("SHOW COMPACTIONS POOL 'p' LIMIT 0", ShowCompactions(pool="p", limit=0)),
    ("SHOW COMPACTIONS ORDER BY `start`", ShowCompactions(sort_keys=(SortKey("starttime", False, True),))),
    ("SHOW COMPACTIONS `pool`", ShowCompactions(NamedTable(("pool",)))),
    ("SHOW LOCKS", ShowLocks()),
    ("SHOW LOCKS EXTENDED", ShowLocks()),
    ("SHOW LOCKS `extended` EXTENDED", ShowLocks(NamedTable(("extended",)))),
    ("SHOW LOCKS db.t PARTITION (k='x') EXTENDED", ShowLocks(NamedTable(("db", "t"), clause="PARTITION (k='x')"))),
    ("SHOW LOCKS DATABASE d", ShowLocks(database="d")),
    ("SHOW LOCKS SCHEMA `d e` EXTENDED", ShowLocks(database="d e")),
    ("SHOW TRANSACTIONS", ShowTransactions()),
    ("ABORT TRANSACTIONS 7", AbortTransactions((7,))),
    ("ABORT TRANSACTIONS 9 8 9;;", AbortTransactions((9, 8))),
    ("OPTIMIZE db.t", Compact(NamedTable(("db", "t")), "major")),
    ("optimize t WHERE k > 'a;' AND n IN (1, 2);", Compact(T, "major", condition="k > 'a;' AND n IN (1, 2)")),
    ("ABORT COMPACTIONS 4 5 4", AbortCompactions((4, 5))),
    ("VACUUM db.t DRY RUN", VacuumDryRun(NamedTable(("db", "t")))),
    ("DESCRIBE DETAIL db.t", DescribeDetail(NamedTable(("db", "t")))),
    ("desc detail t;", DescribeDetail(T)),
    ("START TRANSACTION", StartTransaction()),
    ("BEGIN", StartTransaction()),
    ("BEGIN TRANSACTION;", StartTransaction()),
    ("begin work", StartTransaction()),
    ("COMMIT;", CommitTransaction()),
    ("COMMIT TRANSACTION", CommitTransaction()),
    ("commit work", CommitTransaction()),
    ("ROLLBACK", RollBackTransaction()),
    ("ROLLBACK TRANSACTION", RollBackTransaction()),
    ("ROLLBACK WORK;", RollBackTransaction()),
]


def parsed(text: str) -> ParsedStatement:
    found = find_operator_statement(text)
    assert found is not None
    assert found.explained is None
    return found.statement


@pytest.mark.parametrize(("text", "value"), CASES)
def test_each_form_is_understood(text: str, value: ParsedStatement) -> None:
    assert parsed(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "OPTIMIZE t ZORDER BY (id)",
        "OPTIMIZE t WHERE k = 1 ZORDER BY (id)",
        "OPTIMIZE t WHERE",
        "OPTIMIZE t FULL",
        "DESCRIBE DETAIL t 'x",
        "VACUUM t",
        "VACUUM t RETAIN 168 HOURS DRY RUN",
        "VACUUM FULL t",
    ],
)
def test_other_forms_of_other_engines_are_left_to_the_hints(text: str) -> None:
    assert find_operator_statement(text) is None


@pytest.mark.parametrize("value", [value for _, value in CASES])
def test_a_statement_survives_as_a_text(value: ParsedStatement) -> None:
    assert read_statement(value.TITLE, codec.write(value)) == value


@pytest.mark.parametrize(
    "constant",
    [
        "'a\\'b'",
        "'it''s'",
        "'it' 's'",
        "r'a\\b'",
        "X'78'",
        "12",
        "- 1.50",
        "3S",
        "-12L",
        "1.5bd",
        "1e-3D",
        "TRUE",
        "DATE '2020-01-31'",
        "timestamp '2020-01-31 00:00:00'",
        "NULL",
    ],
)
def test_constants_of_a_partition_are_left_to_sparks_parser(constant: str) -> None:
    clause = f"partition ( k = {constant} )"
    assert parsed(f"SHOW LOCKS t {clause} EXTENDED") == ShowLocks(NamedTable(("t",), clause=clause))


@pytest.mark.parametrize(
    ("prefix", "mode"),
    [
        ("EXPLAIN", "simple"),
        ("explain EXTENDED", "extended"),
        ("EXPLAIN formatted", "formatted"),
        ("EXPLAIN COST", "cost"),
        ("EXPLAIN/**/CODEGEN", "codegen"),
    ],
)
def test_explain_is_told_apart(prefix: str, mode: str) -> None:
    for text, value in CASES:
        found = find_operator_statement(f"{prefix} {text}")
        assert found is not None
        assert (found.statement, found.explained) == (value, mode)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "SHOW",
        "SHOW TABLES",
        "SHOW `LOCKS`",
        "SELECT 'SHOW LOCKS'",
        "-- SHOW LOCKS",
        "BEGIN SHOW LOCKS; END",
        "ABORT",
        "ABORT EVERYTHING",
        "EXPLAIN",
        "EXPLAIN EXTENDED",
        "EXPLAIN ACID SHOW LOCKS",
        "ALTER TABLE",
        "ALTER TABLE t",
        "ALTER TABLE COMPACT 'major'",
        "ALTER TABLE t RENAM TO COMPACT",
        "ALTER TABLE t PARTITION (COMPACT = 1) RENAM TO x",
        "ALTER TABLE t PARTITION (k = 1, compact = 2) SE LOCATION 'x'",
        "ALTER VIEW t COMPACT 'major'",
        "ä 𝄞",
        "SHOW TABLES LIKE 'open",
    ],
)
def test_other_texts_are_left_alone(text: str) -> None:
    assert find_operator_statement(text) is None


@pytest.mark.parametrize(
    ("text", "place", "expected", "found"),
    [
        ("SHOW LOCK t", "1:5", "LOCKS", "LOCK"),
        ("SHOW COMPACTION", "1:5", "COMPACTIONS", "COMPACTION"),
        ("SHOW TRANSACTION 5", "1:5", "TRANSACTIONS", "TRANSACTION"),
        ("SHOW TRANSACTIONS 5", "1:18", "the end", "5"),
        ("SHOW LOCKS t u", "1:13", "EXTENDED or the end", "u"),
        ("SHOW LOCKS t.", "1:13", "a name", "the end"),
        ("SHOW LOCKS 12L", "1:11", "EXTENDED or the end", "12L"),
        ("SHOW LOCKS t PARTITION (1.5d = 1)", "1:24", "a partition column", "1.5d"),
        ("SHOW LOCKS DATABASE", "1:19", "the name of a database", "the end"),
        ("SHOW LOCKS t PARTITION k = 1", "1:23", "(", "k"),
        ("SHOW LOCKS t PARTITION (k)", "1:25", "=", ")"),
        ("SHOW LOCKS t PARTITION (k = 1 l = 2)", "1:30", ", or \\)", "l"),
        ("SHOW LOCKS t PARTITION (k = 1, K = 2)", "1:31", "another partition column", "K"),
        ("SHOW LOCKS t PARTITION (k = x12L)", "1:28", "a value: .*", "x12L"),
        ("SHOW LOCKS t PARTITION (k = 'a' b)", "1:32", ", or \\)", "b"),
        ("SHOW LOCKS; SELECT 1", "1:12", "EXTENDED or the end", "SELECT"),
        ("SHOW LOCKS :t", "1:11", "EXTENDED or the end", ":"),
        ("START TRANSACTION READ ONLY", "1:18", "the end", "READ"),
        ("BEGIN WORK; SELECT 1", "1:12", "the end", "SELECT"),
        ("ABORT TRANSACTIONS", "1:18", "the ID of a transaction", "the end"),
        ("ABORT TRANSACTIONS 1, 2", "1:20", "the ID of a transaction or the end", ","),
        ("ABORT TRANSACTIONS 1.5", "1:19", "the ID of a transaction", "1.5"),
        ("ABORT TRANSACTIONS 9223372036854775808", "1:19", "the ID of a transaction", "9223372036854775808"),
        ("ABORT COMPACTIONS all", "1:18", "the ID of a compaction", "all"),
        ("ALTER TABLE t\nCOMPACT major", "2:8", "'major', 'minor' or 'rebalance'", "major"),
        ("ALTER TABLE t COMPACT 'maior'", "1:22", "'major', 'minor' or 'rebalance'", "'maior'"),
        ("ALTER TABLE t COMPACT", "1:21", "'major', 'minor' or 'rebalance'", "the end"),
        ("ALTER TABLE t PARTITION (k = 1 COMPACT 'major'", "1:31", ", or \\)", "COMPACT"),
        ("ALTER TABLE t PARTITION (k) COMPACT 'major'", "1:26", "=", ")"),
        ("ALTER TABLE t COMPACT 'major' AND WAITE", "1:34", "WAIT", "WAITE"),
        ("ALTER TABLE t COMPACT 'major' POOL p", "1:35", "the pool's name in quotation marks", "p"),
        ("ALTER TABLE t COMPACT 'major' POOL 'p' AND WAIT", "1:39", "another clause or the end", "AND"),
        ("ALTER TABLE t COMPACT 'rebalance' CLUSTERED INTO x", "1:49", "a number of buckets", "x"),
        ("ALTER TABLE t COMPACT 'rebalance' CLUSTERED INTO 3", "1:50", "BUCKETS", "the end"),
        ("ALTER TABLE t COMPACT 'rebalance' CLUSTERED INTO 0 BUCKETS", "1:49", "a number of buckets", "0"),
        ("ALTER TABLE t COMPACT 'major' WITH TBLPROPERTIES ('a'='b')", "1:35", "OVERWRITE", "TBLPROPERTIES"),
        (
            "ALTER TABLE t COMPACT 'major' WITH OVERWRITE TBLPROPERTIES (a='b')",
            "1:60",
            "a key in quotation marks",
            "a",
        ),
        ("SHOW COMPACTIONS COMPACT_ID 5", "1:28", "=", "5"),
        ("SHOW COMPACTIONS COMPACT_ID = 5 LIMIT 1", "1:32", "the end", "LIMIT"),
        (
            "SHOW COMPACTIONS TYPE 'x'",
            "1:22",
            "'major', 'minor', 'rebalance', 'abort txn cleanup' or 'smart optimize'",
            "'x'",
        ),
        ("SHOW COMPACTIONS t STATUS 'new'", "1:26", "'initiated', .*", "'new'"),
        ("SHOW COMPACTIONS ORDER BY age", "1:26", "a column: compactionid, .*", "age"),
        ("SHOW COMPACTIONS ORDER BY txnid NULLS", "1:37", "FIRST or LAST", "the end"),
        ("SHOW COMPACTIONS LIMIT 1 ORDER BY txnid", "1:25", "another clause or the end", "ORDER"),
        ("SHOW COMPACTIONS LIMIT all", "1:23", "a number of rows", "all"),
        ("EXPLAIN SHOW LOCK", "1:13", "LOCKS", "LOCK"),
        ("SHOW LOCKS `ä𝄞` PARTITON", "1:16", "EXTENDED or the end", "PARTITON"),
        ("SHOW LOCKS t PARTITION (k = 'open", "1:28", "an end of the quotation .*", "none"),
        ("SHOW LOCKS /* open", "1:11", "an end of the quotation .*", "none"),
    ],
)
def test_who_mistypes_is_told_where_and_what(text: str, place: str, expected: str, found: str) -> None:
    with pytest.raises(InvalidStatement) as raised:
        find_operator_statement(text)
    assert raised.value.getCondition() == "HIVE_ACID_SYNTAX_ERROR"
    told = raised.value.getMessageParameters()
    assert (f"{told['line']}:{told['position']}", told["found"]) == (place, found)
    assert told["expected"] == expected or re.fullmatch(expected, told["expected"])
    assert told["form"].startswith(told["statement"].split(" ")[0])


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=8)
BLANKS = st.sampled_from([" ", "\n", "\t ", " /* POOL 'x' */ ", " -- LIMIT 1\n"])


@given(st.sampled_from(CASES), BLANKS, st.booleans())
def test_case_blanks_and_comments_do_not_matter(case: tuple[str, ParsedStatement], blank: str, is_upper: bool) -> None:
    text, value = case
    pieces = re.split(r"""('[^']*'|"[^"]*"|`[^`]*`)""", text)  # what is quoted stays
    changed = "".join(
        piece if index % 2 else re.sub(r" ", lambda _: blank, piece.upper() if is_upper else piece.lower())
        for index, piece in enumerate(pieces)
    )
    assert _folded(parsed(changed), blank) == _folded(value, blank)


def _folded(value: ParsedStatement, blank: str) -> str:
    return codec.write(value).replace(json.dumps(blank)[1:-1], " ").lower()


@given(NAMES, NAMES, st.text(max_size=8))
def test_quoted_names_and_texts_are_taken_as_they_are(database: str, table: str, value: str) -> None:
    names = ".".join("`" + name.replace("`", "``") + "`" for name in (database, table))
    text = value.replace("\\", "\\\\").replace("'", "\\'")
    clause = f"PARTITION (`k l` = '{text}')"
    found = parsed(f"ALTER TABLE {names} {clause} COMPACT 'major' POOL '{text}'")
    assert found == Compact(NamedTable((database, table), clause=clause), "major", pool=value)


@given(st.text(alphabet="SHOWLCKaltertbemp ().,='`;123\n-/*", max_size=40), st.sampled_from(CASES))
def test_no_text_is_misunderstood_beyond_a_named_error(noise: str, case: tuple[str, ParsedStatement]) -> None:
    for text in (noise, case[0] + " " + noise, case[0][: len(noise)] + noise):
        try:
            find_operator_statement(text)
        except InvalidStatement as error:
            assert error.getCondition() == "HIVE_ACID_SYNTAX_ERROR"
