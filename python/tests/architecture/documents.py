"""The documents as the tests see them: their runnable blocks, and the tables that are made from the code.

Run as a program, this writes the tables anew: `./dev py python/tests/architecture/documents.py`.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from hive_acid import cli, config, errors
from hive_acid.errors import conditions
from hive_acid.errors.outcome import load_outcomes
from hive_acid.metastore.types import MetastoreLine
from hive_acid.quirks.acting import OF_STATEMENTS
from hive_acid.quirks.fault import Fault
from hive_acid.quirks.quirk import Quirk
from hive_acid.setting import Setting
from hive_acid.transactions.ddl_locks import DDL_LOCKS
from hive_acid.transactions.validity import RULES, Rule

ROOT = Path(__file__).resolve().parents[3]
QUIRKS = ROOT / "python" / "hive_acid" / "quirks"
HOOKS = tuple(name for name in vars(Quirk) if not name.startswith("_"))
"""In the order in which a statement comes to them."""
README = ROOT / "README.md"
DOCS = ROOT / "docs"
DOCUMENTS = (README, ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md")))
TOUR = (
    README,
    *(DOCS / "guide" / f"{page}.md" for page in ("python", "transactions", "dry-run")),
    DOCS / "reference" / "errors.md",
    *(
        DOCS / "guide" / f"{page}.md"
        for page in ("sql", "history", "compaction", "streams", "existing-tables", "erasure")
    ),
)
"""What one reader pastes one after the other into one session, which the README starts."""

_FENCE = re.compile(
    r"^(?P<indent> *)(?:<!-- (?P<mark>[^>]*) -->\n *)?```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """A fenced block and the comment right above it (`runnable`, `output`, or empty)."""

    mark: str
    language: str
    text: str


def blocks(document: Path) -> list[Block]:
    """All fenced blocks of a document, in order."""
    found = _FENCE.finditer(document.read_text("utf-8"))
    return [Block(match["mark"] or "", match["language"], textwrap.dedent(match["text"])) for match in found]


def program(document: Path) -> str:
    """All runnable blocks, as one reader would paste them one after the other."""
    return "\n".join(block.text for block in blocks(document) if block.mark == "runnable")


def output(document: Path) -> str:
    """What the document says they print."""
    return "".join(block.text for block in blocks(document) if block.mark == "output")


def is_runnable(document: Path) -> bool:
    """True if it has something to run."""
    return program(document) != ""


def settings_table() -> str:
    """Every setting of the code."""
    rows = (
        (f"`{s.key}`", f"`{s.default}`" if s.default != "" else "", _holds_for(s), s.meaning) for s in config.SETTINGS
    )
    return _table(("Key", "Default", "Holds for", "Meaning"), rows)


def _holds_for(setting: Setting) -> str:
    return "application" if setting.of_application else "session"


def errors_table() -> str:
    """Every main condition of conditions.json, whether it is retryable, and its sub-conditions with their reasons.

    The message of a sub-condition follows that of its main condition.
    """
    rows, parts = [], []
    for name, entry in conditions.load_conditions().items():
        retryable = "Retryable" in (getattr(errors, entry["class"]).__doc__ or "")
        message, below = _message(entry), entry.get("subClass", {})
        link = f"[`{name}`](#{name.lower()})" if below else f"`{name}`"
        rows.append((link, entry["sqlState"], "yes" if retryable else "", f"{message} …" if below else message))
        if below:
            states = {sub: part.get("sqlState", entry["sqlState"]) for sub, part in below.items()}
            reasons = ((f"`.{sub}`", states[sub], _message(part)) for sub, part in below.items())
            parts.append(f"### {name}\n\n{_table(('Sub-condition', 'SQLSTATE', 'Reason'), reasons)}")
    return "\n\n".join([_table(("Condition", "SQLSTATE", "Run again", "Message"), rows), *parts])


def _message(entry: Mapping[str, str]) -> str:
    return conditions.PLACEHOLDER.sub(r"*\1*", entry["message"].replace("\n", " "))


def outcomes_table() -> str:
    """What an error can say of its statement."""
    return _table(("`outcome`", "Text"), ((f"`{name}`", text) for name, text in load_outcomes().items()))


def rules_table() -> str:
    """What each statement locks and checks on each metastore line."""
    rows = (
        (
            kind.value.upper(),
            line.value,
            rule.lock.name,
            rule.operation.name,
            _listed_checks(rule),
            _listed_checks(rule.behind_kept_lock()) if rule.can_be_kept else "",
        )
        for (kind, line), rule in RULES.items()
    )
    checks = ("Under the lock it must hold that", "Behind the kept lock")
    return _table(("Statement", "Metastore", "Lock", "Registered as", *checks), rows)


def _listed_checks(rule: Rule) -> str:
    return "; ".join(check.value for check in rule.checks)


def ddl_table() -> str:
    """What each statement that alters a table locks."""
    rows = ((kind.title, lock.name if lock else "none") for kind, lock in DDL_LOCKS.items())
    return _table(("Statement", "Lock"), rows)


def options_table() -> str:
    """What becomes of each option of a DataFrame's writers and readers that is known by name."""
    options = json.loads((ROOT / "python" / "hive_acid" / "wire" / "table_options.json").read_text("utf-8"))
    rows = ((f"`{name}`", row["writes"], row["reads"], row["meaning"]) for name, row in options.items())
    return _table(("Option", "Writes", "Reads", "Meaning"), rows)


def statement_calls_table() -> str:
    """How often each statement calls the metastore."""
    from support.statement_calls import calls_table  # which a program finds once `main` has said where

    return _table(*calls_table())


def statements_table() -> str:
    """Which statement is supported on which kind of table."""
    from support.support_matrix import matrix

    return _table(*matrix())


def summary_table() -> str:
    """The same, of the statements that most readers look for."""
    from support.support_matrix import summary

    return _table(*summary())


def lines_table() -> str:
    """How many statements of the golden files each line of Spark carries out."""
    from support.line_matrix import lines_matrix

    return _table(*lines_matrix())


def golden_table() -> str:
    """How many golden files each line of Spark runs, and how many come out otherwise there."""
    from support.line_matrix import golden_matrix

    return _table(*golden_matrix())


def commands_table() -> str:
    """Every command of `hive-acid`, with its arguments."""
    return "\n\n".join(
        "\n\n".join([f"### `{parser.prog}`", _sentence(help_text), _arguments_table(parser)]).rstrip()
        for parser, help_text in _commands(cli.build_parser())
    )


def _commands(parser: argparse.ArgumentParser) -> Iterator[tuple[argparse.ArgumentParser, str]]:
    """The commands below a parser that have none below themselves, each with its help."""
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    for group in groups:
        for choice in group._choices_actions:
            below = group.choices[choice.dest]
            deeper = list(_commands(below))
            yield from deeper or [(below, choice.help or "")]


def _arguments_table(parser: argparse.ArgumentParser) -> str:
    rows = [(_argument(action), _argument_help(action)) for action in parser._actions if action.dest != "help"]
    return _table(("Argument", "Meaning"), rows) if rows else ""


def _argument(action: argparse.Action) -> str:
    values = f"{{{','.join(map(str, action.choices))}}}" if action.choices else action.metavar or action.dest.upper()
    named = "" if action.nargs == 0 else str(values)
    return f"`{' '.join(filter(None, ['/'.join(action.option_strings), named]))}`"


def _argument_help(action: argparse.Action) -> str:
    default = action.default
    if isinstance(default, Path) and default.is_absolute():  # below the user's folder for data, wherever that is
        default = Path("~/.local/share", *default.parts[-2:])
    return (action.help or "").replace("%(default)s", str(default))


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def house_drawing() -> str:
    """Which room knows which."""
    from architecture.house import draw_house

    return draw_house()


def promises_table() -> str:
    """Where each promise is proven, and the minutes that a run of everything spends on it."""
    from support.promises import load_promises, sum_minutes

    promises = load_promises()
    minutes = sum_minutes(promises)
    rows = ((each.says, each.gate, each.whole, str(minutes[each] or "")) for each in promises)
    return _table(("Promise", "Gate", "Only in `--all`", "Minutes"), rows)


def mutants_table() -> str:
    """Which model shows that a rule is missing."""
    from support.model_checker.rules import MUTANTS  # which a program finds once `main` has said where

    rows = (
        (one.rule, f"`{one.model}`" if one.model else "", "; ".join(part.name for part in one.behind), one.why)
        for one in MUTANTS
    )
    return _table(("Left out", "Found in", "If also left out", "Not found, for"), rows)


def quirks_table() -> str:
    """Each fault that a quirk meets: what it does without us, where it is met and when the file can go."""
    rows = (
        (
            f"`{path.stem}`",
            f"{fault.title} ({fault.releases})",
            fault.harm,
            ", ".join(line.value for line in fault.lines),
            " ".join(filter(None, [", ".join(f"`{hook}`" for hook in _hooks_of(fault)), fault.called_by])),
            fault.ticket or "none known",
            fault.until,
        )
        for path, fault in load_faults().items()
    )
    return _table(("File", "Fault", "Without us", "Metastores", "Met in", "Ticket", "The file goes when"), rows)


def load_faults() -> dict[Path, Fault]:
    """That of each file of a quirk."""
    found = {path: import_module(f"hive_acid.quirks.{path.stem}") for path in sorted(QUIRKS.glob("*.py"))}
    return {path: module.FAULT for path, module in found.items() if hasattr(module, "FAULT")}


def _hooks_of(fault: Fault) -> list[str]:
    return [hook for quirk in OF_STATEMENTS if quirk.FAULT is fault for hook in HOOKS if hook in vars(quirk)]


def hooks_table() -> str:
    """When the steps of a statement call each hook."""
    return _table(("Hook", "When"), ((f"`{hook}`", inspect.getdoc(getattr(Quirk, hook)) or "") for hook in HOOKS))


def metastore_lines_table() -> str:
    """The facts that set the two lines apart, as far as several places ask for them."""
    facts = {name: fact for name, fact in vars(MetastoreLine).items() if isinstance(fact, property)}
    rows = (
        (f"`{name}`", *("yes" if getattr(line, name) else "" for line in MetastoreLine), _one_line(fact.__doc__ or ""))
        for name, fact in facts.items()
    )
    return _table(("Fact", *(line.value for line in MetastoreLine), "Meaning"), rows)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def face_tables() -> str:
    """The names of each module of the face, with what they are."""
    modules = [path.stem for path in sorted((ROOT / "python/hive_acid/api").glob("*.py")) if path.stem != "__init__"]
    return "\n\n".join(_face_table(module) for module in modules)


def _face_table(module: str) -> str:
    found = import_module(f"hive_acid.api.{module}")
    rows = ((f"`{name}`", meaning_of(found, name)) for name in sorted(listed_names(found)))
    return f"### `{found.__name__}`\n\n{found.__doc__}\n\n{_table(('Name', 'Meaning'), rows)}"


def listed_names(face: ModuleType) -> list[str]:
    """The names of a module of the face."""
    return [name for name in vars(face) if not name.startswith("__")]


def meaning_of(module: Any, name: str) -> str:
    """The first sentence of a name's docstring; that of a constant stands below its assignment. Else its value."""
    found = getattr(module, name)
    if isinstance(found, type) or inspect.isfunction(inspect.unwrap(found)):
        text = inspect.getdoc(found) or ""
        return "" if text.startswith(f"{name}(") else _first_sentence(text)  # what dataclasses write by themselves
    return _first_sentence(_find_constant_docstring(module, name)) or f"`{found}`"


def _first_sentence(text: str) -> str:
    paragraph = " ".join(text.split("\n\n", maxsplit=1)[0].split())
    return re.split(r"(?<=\.)(?<!e\.g\.)\s", paragraph)[0]


def _find_constant_docstring(module: Any, name: str) -> str:
    """The text below the assignment, in the module that the face takes the constant from."""
    taken = next(
        (each.module, alias.name)
        for each in ast.parse(inspect.getsource(module)).body
        if isinstance(each, ast.ImportFrom) and each.module
        for alias in each.names
        if name in (alias.asname, alias.name)
    )
    body = ast.parse(inspect.getsource(import_module(taken[0]))).body
    for assigned, below in pairwise(body):
        targets = assigned.targets if isinstance(assigned, ast.Assign) else [getattr(assigned, "target", None)]
        names = {target.id for target in targets if isinstance(target, ast.Name)}
        if taken[1] in names and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            return str(below.value.value)
    return ""


TABLES = {
    "house": (DOCS / "internals" / "onboarding.md", house_drawing),
    "promises": (DOCS / "internals" / "tests.md", promises_table),
    "summary": (README, summary_table),
    "matrix": (DOCS / "index.md", summary_table),
    "statements": (DOCS / "reference" / "statements.md", statements_table),
    "settings": (DOCS / "reference" / "settings.md", settings_table),
    "options": (DOCS / "reference" / "options.md", options_table),
    "errors": (DOCS / "reference" / "errors.md", errors_table),
    "outcomes": (DOCS / "reference" / "errors.md", outcomes_table),
    "commands": (DOCS / "reference" / "cli.md", commands_table),
    "face": (DOCS / "reference" / "face.md", face_tables),
    "rules": (DOCS / "internals" / "protocol.md", rules_table),
    "mutants": (DOCS / "internals" / "model-checking.md", mutants_table),
    "quirks": (DOCS / "internals" / "quirks.md", quirks_table),
    "hooks": (DOCS / "internals" / "quirks.md", hooks_table),
    "metastores": (DOCS / "internals" / "quirks.md", metastore_lines_table),
    "ddl": (DOCS / "internals" / "protocol.md", ddl_table),
    "calls": (DOCS / "internals" / "protocol.md", statement_calls_table),
    "golden": (DOCS / "reference" / "versions.md", golden_table),
    "lines": (DOCS / "reference" / "versions.md", lines_table),
}
"""Name of the comment pair around a table, its document, and how it is made."""


def with_table(text: str, name: str, table: str) -> str:
    """The document's text with the named table in place. Raises ValueError if the comments are missing."""
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    head, found, rest = text.partition(begin)
    _, closed, tail = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{begin.strip()} … {end} is missing")
    return f"{head}{begin}\n{table}\n\n{end}{tail}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def main() -> int:
    """Write all tables."""
    sys.path.append(str(ROOT / "python" / "tests"))
    for name, (document, table) in TABLES.items():
        document.write_text(with_table(document.read_text("utf-8"), name, table()), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
