"""Statements of other engines that Spark's parser refuses, and what says the same here.

That stands in the messages of HIVE_ACID_UNKNOWN_STATEMENT, whose sub-conditions are the names of this page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

from hive_acid.api.expressions import find_name, find_tokens, upper_word
from hive_acid.api.messages import Hint

_TABLE: Final = "{table}"
_ANYTHING: Final = "…"
_ANYWHERE: Final = "*"
_END: Final = "$"
_CONSTRAINTS: Final = "AUTO_INCREMENT|CHECK|ENFORCED|FOREIGN|NOVALIDATE|PRIMARY|UNIQUE"
_FORMS: Final[Mapping[str, Sequence[str]]] = {
    "ADD_COLUMNS": (
        "ALTER TABLE {table} ADD COLUMN|COLUMNS … CASCADE|RESTRICT",
        "ALTER TABLE {table} ADD !CHECK|COLUMN|COLUMNS|CONSTRAINT|FOREIGN|IF|INDEX|KEY|PARTITION|PRIMARY|UNIQUE",
    ),
    "ALTER_TABLE": (
        "ALTER TABLE {table} DROP FEATURE|IDENTIFIER",
        "ALTER TABLE {table} SET FILEFORMAT|IDENTIFIER|OWNER|ROW|TAGS",
        "ALTER TABLE {table} ALTER COLUMN … SET MASK|TAGS",
        "ALTER TABLE {table} OWNER|SYNC",
        "ALTER TABLE {table} UPDATE COLUMNS|STATISTICS",
    ),
    "ANALYZE": ("ANALYZE TABLE {table} COMPUTE DELTA", "ANALYZE !TABLE|TABLES {table}", "ANALYZE {table}"),
    "ARCHIVE": ("ALTER TABLE {table} … ARCHIVE|UNARCHIVE",),
    "BRANCH": ("ALTER TABLE {table} CREATE|DROP|REPLACE [OR] [REPLACE] BRANCH|TAG",),
    "BUCKETS": (
        "ALTER TABLE {table} CLUSTERED|INTO|SKEWED",
        "ALTER TABLE {table} NOT CLUSTERED|SKEWED|SORTED",
        "CREATE TABLE … SKEWED BY * transactional",
        "CREATE TRANSACTIONAL TABLE … SKEWED BY",
    ),
    "CACHE": ("CACHE SELECT … FROM {table}",),
    "CLONE": ("CREATE … CLONE {table}",),
    "CONCATENATE": ("ALTER TABLE {table} … CONCATENATE",),
    "CONSTRAINT": (
        "ALTER TABLE {table} ADD|DROP CHECK|CONSTRAINT|FOREIGN|KEY|PRIMARY|UNIQUE",
        f"CREATE TABLE * {_CONSTRAINTS} * transactional",
        f"CREATE TRANSACTIONAL TABLE * {_CONSTRAINTS}",
    ),
    "CONVERT": ("CONVERT TO",),
    "COPY_INTO": ("COPY [INTO] {table} … FROM", "BULK INSERT {table}"),
    "CREATE_TABLE": ("CREATE MANAGED TABLE", "CREATE … STORED BY", "CREATE TEMPORARY TABLE * transactional"),
    "DELETE_LIMIT": ("DELETE FROM {table} … LIMIT|ORDER", "DELETE TOP … FROM {table}"),
    "DELETE_USING": ("DELETE FROM {table} … USING", "DELETE FROM {table} ,", "DELETE {table} FROM"),
    "DELETE_WITHOUT_FROM": ("DELETE {table}",),
    "DROP_PARTITIONS": ("ALTER TABLE {table} DROP [IF] [EXISTS] PARTITION",),
    "DETAIL": ("DESCRIBE|DESC DETAIL {table}",),
    "EXCHANGE": ("ALTER TABLE {table} EXCHANGE",),
    "EXECUTE": ("ALTER TABLE {table} EXECUTE",),
    "EXPLAIN": ("EXPLAIN ANALYZE|AST|AUTHORIZATION|CBO|DEPENDENCY|LOCKS|REOPTIMIZATION|VECTORIZATION",),
    "EXPORT": ("EXPORT TABLE {table}", "COPY {table} … TO", "IMPORT [EXTERNAL] TABLE|FROM", "REPL DUMP|LOAD|STATUS"),
    "FOR_UPDATE": ("SELECT … FROM {table} … FOR UPDATE|SHARE", "SELECT … FROM {table} WITH ("),
    "FSCK": ("FSCK REPAIR TABLE {table}",),
    "GENERATE": ("GENERATE … FOR TABLE {table}",),
    "GRANT": ("GRANT|REVOKE|DENY … ON [TABLE] {table}", "SHOW GRANT|GRANTS … ON [TABLE] {table}", "SHOW ROLE GRANT"),
    "INDEX": (
        "ALTER TABLE {table} ADD INDEX",
        "CREATE|DROP [UNIQUE] INDEX … ON [TABLE] {table}",
        "REINDEX TABLE {table}",
        "SHOW INDEX|INDEXES FROM|ON {table}",
    ),
    "INSERT_FORM": ("INSERT INTO [TABLE] {table} SET", "INSERT ALL|FIRST … INTO {table}"),
    "INSERT_REPLACE": ("INSERT INTO [TABLE] {table} … REPLACE USING|ON",),
    "KILL": ("KILL QUERY",),
    "LOCK": ("LOCK|UNLOCK TABLE {table}", "LOCK|UNLOCK TABLES|DATABASE"),
    "MATERIALIZED_VIEW": (
        "CREATE [OR] [REPLACE] MATERIALIZED VIEW … FROM {table}",
        "ALTER|DROP|REFRESH MATERIALIZED VIEW",
    ),
    "MERGE": ("MERGE {table} … USING", "MERGE INTO {table} … DELETE WHERE", "MERGE INTO {table} … DO NOTHING"),
    "MODIFY_COLUMNS": (
        "ALTER TABLE {table} CHANGE|MODIFY",
        "ALTER TABLE {table} ALTER [COLUMN] … SET DATA",
        "ALTER TABLE {table} PARTITION COLUMN",
    ),
    "MSCK": ("MSCK [REPAIR] [TABLE] {table}",),
    "OPTIMIZE": ("OPTIMIZE [TABLE] {table}",),
    "PARTITIONING": ("ALTER TABLE {table} ADD|DROP|REPLACE PARTITION FIELD",),
    "PROTECTION": ("ALTER TABLE {table} … ENABLE|DISABLE",),
    "PURGE": ("PURGE TABLE {table}",),
    "RENAME": ("RENAME TABLE {table}", "ALTER TABLE {table} RENAME !COLUMN|TO"),
    "REORG": ("REORG TABLE {table}",),
    "RESTORE": ("RESTORE [TABLE] {table}",),
    "RETURNING": ("DELETE FROM {table} … RETURNING", "UPDATE|MERGE|INSERT [INTO] [TABLE] {table} … RETURNING"),
    "SELECT_INTO": ("SELECT … INTO … FROM {table}",),
    "SHOW_COLUMNS": ("SHOW FULL|EXTENDED COLUMNS|FIELDS FROM|IN {table}", "SHOW STATS FOR {table}"),
    "SHOW_HISTORY": ("SHOW HISTORY [FOR] {table}",),
    "TIME_TRAVEL": ("SELECT … FROM {table} AS OF",),
    "TOUCH": ("ALTER TABLE {table} TOUCH",),
    "TRANSACTION": (
        "END [TRANSACTION|WORK] $",
        "COMMIT|ROLLBACK AND",
        "RELEASE|ROLLBACK [TRANSACTION|WORK] TO|SAVEPOINT",
        "SAVEPOINT",
        "SET TRANSACTION|AUTOCOMMIT",
    ),
    "TRIGGER": ("CREATE TRIGGER … ON {table}",),
    "TRUNCATE": ("TRUNCATE TABLE {table} … CASCADE|CONTINUE|FORCE|RESTART|RESTRICT", "TRUNCATE {table}"),
    "UNDROP": ("UNDROP|FLASHBACK TABLE",),
    "UPDATE_FROM": ("UPDATE {table} … FROM|JOIN",),
    "UPDATE_LIMIT": ("UPDATE {table} … LIMIT|ORDER",),
    "UPDATE_LISTS": ("UPDATE {table} … SET (",),
    "UPSERT": (
        "UPSERT|REPLACE INTO {table}",
        "INSERT OR REPLACE|IGNORE|UPDATE INTO {table}",
        "INSERT IGNORE [INTO] {table}",
        "INSERT INTO [TABLE] {table} … ON CONFLICT|DUPLICATE",
    ),
    "VACUUM": ("VACUUM [ANALYZE|FULL|LITE|TABLE] {table}",),
    "WHERE_CURRENT": ("DELETE|UPDATE [FROM] {table} … WHERE CURRENT OF",),
    "WRITE_ORDER": ("ALTER TABLE {table} WRITE", "CLUSTER {table} USING"),
}
"""Forms of statements by sub-condition; the first one that fits counts.

`A|B` is one of the words, `!A|B` any other token, `[A]` may be left out, `$` is the end of the text. `…` are any
tokens, with all that stands in brackets, and `*` are tokens in brackets, too. `{table}` is the table that a statement
is about: one that is not transactional keeps Spark's error.
"""
_NO_NAMES: Final = frozenset(("FROM", "IF", "IGNORE", "INTO", "ONLY", "OR", "OVERWRITE", "TABLE"))


class _Match(NamedTuple):
    words: tuple[str, ...] = ()
    table: tuple[str, ...] = ()


def find_hint(text: str) -> Hint | None:
    """The hint for a text that Spark's parser has refused; None if no other engine is known to take it."""
    tokens = find_tokens(text)
    for name, forms in _FORMS.items():
        for form in forms:
            match = _match(form.split(), tokens)
            if match is not None:
                title = " ".join(match.words).replace("… …", "…").removesuffix(" …")
                return Hint(f"HIVE_ACID_UNKNOWN_STATEMENT.{name}", title, match.table)
    return None


def _match(pieces: Sequence[str], tokens: Sequence[Token]) -> _Match | None:
    if not pieces:
        return _Match()
    piece, *rest = pieces
    if piece == _END:
        return None if any(token.token_type is not TokenType.SEMICOLON for token in tokens) else _Match()
    if piece in (_ANYTHING, _ANYWHERE):
        return _match_later(rest, tokens, passes_brackets=piece == _ANYTHING)
    if piece == _TABLE:
        return _match_table(rest, tokens)
    word = _word(tokens[0]) if tokens else ""
    is_wanted = (word in piece.strip("![]").split("|")) != piece.startswith("!")
    found = _match(rest, tokens[1:]) if tokens and is_wanted else None
    if found is not None:
        shown = (word,) if word.isupper() and not piece.startswith("!") else ()
        return found._replace(words=(*shown, *found.words))
    return _match(rest, tokens) if piece.startswith("[") else None


def _word(token: Token) -> str:
    """As a form has it: a word in upper case, a text in lower case, a symbol; no name in backquotes."""
    if token.token_type is TokenType.STRING:
        return token.text.lower()
    return "" if token.token_type is TokenType.IDENTIFIER else upper_word(token) or token.text


def _match_later(pieces: Sequence[str], tokens: Sequence[Token], passes_brackets: bool) -> _Match | None:
    depth = 0
    before = ""
    for at, token in enumerate(tokens):
        # FROM behind DISTINCT is an operator
        found = _match(pieces, tokens[at:]) if depth == 0 and before != "DISTINCT" else None
        if found is not None:
            return found._replace(words=("…", *found.words))
        if passes_brackets:
            depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        before = upper_word(token)
    return None


def _match_table(pieces: Sequence[str], tokens: Sequence[Token]) -> _Match | None:
    name = find_name(tokens)
    if not name or upper_word(tokens[0]) in _NO_NAMES:
        return None
    found = _match(pieces, tokens[2 * len(name) - 1 :])
    return found and _Match(("…", *found.words), name)
