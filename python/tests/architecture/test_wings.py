"""The core works without its wings, and names the extra of one that is not there."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import sysconfig
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from architecture.documents import ROOT, listed_names, meaning_of
from hive_acid.older_python import tomllib

CORE = ROOT / "python" / "hive_acid"
WINGS = sorted(path.parent for path in (ROOT / "python").glob("hive_acid_*/__init__.py"))
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
FACE = sorted(path for path in (CORE / "api").glob("*.py") if path.name != "__init__.py")

DOUBLES = "python/tests/doubles"
BROUGHT_BY_USERS = {"pytest"}
SEARCHED = "subjects=[], tables={}, columns=[], hash_key=b''"
LOGIN = "from hive_acid.transport import *; from hive_acid.metastore.transports.security import *"
OPERATORS = """\
from types import SimpleNamespace as Any
from hive_acid.bridge.operators import *
Operators(Any(metastore=None, file_system=None), None, None, None, Any(host=""), None)"""
SHOW_LOCKS = """OperatorRequest("SHOW LOCKS", '{"table": null, "database": null}', None, None, (), None, None, {})"""
REMOTE = "from hive_acid.user import acid_table; acid_table.is_remote = lambda _: True; acid_table"
METRICS = "from argparse import Namespace; from hive_acid_ops.commands.metrics_port import counted"
OUTPUTS = ("signing_key", "ledger", "certificate")
ABSENT = """\
import sys
absent = ("cryptography", "opentelemetry", "pandas", "prometheus_client", "pyarrow", "rich")
sys.modules.update(dict.fromkeys(absent))  # as if they were not installed
"""

IMPORT_ALL = """\
import importlib, json, pkgutil, sys
import hive_acid

names = [found.name for found in pkgutil.walk_packages(hive_acid.__path__, "hive_acid.")]
for name in names:
    if ".generated." not in name:
        importlib.import_module(name)
print(json.dumps([len(names), sorted({name.partition(".")[0] for name in sys.modules})]))
"""


@pytest.fixture(scope="module")
def core_alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of programs that find the core and all libraries, and no wing."""
    folder = tmp_path_factory.mktemp("checkout")
    (folder / CORE.name).symlink_to(CORE)
    # the links to this checkout, in files .pth of that folder, are not followed
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), sysconfig.get_path("purelib")])}


def run_alone(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-S", *arguments)
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_every_module_of_the_core_is_imported_without_its_wings(core_alone: dict[str, str]) -> None:
    done = run_alone(core_alone, "-c", IMPORT_ALL)
    assert done.returncode == 0, done.stderr[-3000:]
    count, loaded = json.loads(done.stdout)
    assert count > 200
    assert WINGS
    assert {path.name for path in WINGS} & set(loaded) == set()


def test_the_command_line_has_the_commands_of_wings_that_are_not_there(core_alone: dict[str, str]) -> None:
    done = run_alone(core_alone, "-m", "hive_acid.cli", "--help")
    assert done.returncode == 0, done.stderr[-3000:]
    named = set(done.stdout.split())
    assert {"metastore", "doctor", "history", "erase", "verify", "initiator", "worker", "demo", "sqltest"} <= named


@pytest.mark.parametrize(
    ("extra", "call"),
    [
        ("local", ["metastore", "start", "--port", "9083"]),
        ("erasure", ["erase", "plan.toml", "--dry-run"]),
        ("erasure", ["verify", "certificate.json", "--public-key", "signing.pub"]),
        ("ops", ["doctor", "db.t", "--set-aside", "5", "--yes"]),
        ("ops", ["history", "db.t"]),
        ("ops", ["settings", "--format", "dbt"]),
        ("ops", ["txn", "status", "7"]),
        ("ops", ["initiator", "--once"]),
        ("ops", ["worker", "--once"]),
        ("examples", ["demo"]),
        ("sqltest", ["sqltest", "run", "suite", "--jobs", "2"]),
        ("sqltest", ["sqltest", "--help"]),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_a_command_of_a_wing_that_is_not_there_names_its_extra(
    core_alone: dict[str, str], extra: str, call: list[str]
) -> None:
    done = run_alone(core_alone, "-m", "hive_acid.cli", *call)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("[HIVE_ACID_CONFIGURATION.EXTRA_MISSING]"), done.stderr
    assert f"the Python package hive_acid_{extra}" in done.stderr
    assert f"'spark-hive-acid[{extra}]'" in done.stderr


@pytest.mark.parametrize(
    ("extra", "program"),
    [
        ("local", "from hive_acid.local import EmbeddedMetastore"),
        ("local", "from hive_acid.session.embedded import start_embedded; start_embedded()"),
        ("ops", f"{OPERATORS}.run({SHOW_LOCKS})"),
        ("ops", "from hive_acid.user.history import build_history_frame; build_history_frame(None, '[]')"),
        ("downloads", "from hive_acid.session.hive_client import fetch_client_jars; fetch_client_jars('4.1.0')"),
        ("login", f"{LOGIN}; build_security(None, Transport(tls=Tls()), None, {{}})"),
        ("login", f"{LOGIN}; find_security_without_jvm(Transport(http=Http('/metastore')))"),
        ("connect", f"{REMOTE}.AcidTable.forName(None, 't')"),
        ("erasure", "from hive_acid.erasure.signing import make_keys; make_keys(None)"),
        ("erasure", f"import hive_acid; hive_acid.erase(None, {SEARCHED}, **dict.fromkeys({OUTPUTS}))"),
        ("erasure", f"import hive_acid; hive_acid.verify(None, {SEARCHED})"),
        ("erasure", "import hive_acid; hive_acid.verify_certificate(None, None, b'')"),
    ],
)
def test_a_call_that_needs_a_wing_that_is_not_there_names_its_extra(
    core_alone: dict[str, str], extra: str, program: str
) -> None:
    done = run_alone(core_alone, "-c", program)
    assert done.returncode == 1
    assert f"'spark-hive-acid[{extra}]'" in done.stderr, done.stderr
    assert "ConfigurationError: [HIVE_ACID_CONFIGURATION.EXTRA_MISSING]" in done.stderr


def test_without_hints_the_error_of_spark_stays(core_alone: dict[str, str]) -> None:
    program = "from hive_acid.bridge.texts import *; print(TextAnswers.hint.__wrapped__(None, 'VACUUM t'))"
    done = run_alone(core_alone, "-c", program)
    assert (done.stdout, done.stderr) == ("None\n", "")


@pytest.mark.parametrize(
    ("extra", "program"),
    [
        ("erasure", "import hive_acid; hive_acid.verify_certificate(None, None, b'')"),
        ("erasure", "from hive_acid.wings import check_libraries; check_libraries('erasure', 'it', 'json', 'pyarrow')"),
        ("erasure", "from hive_acid.cli import main; sys.exit(main(['erase', '--new-keys', sys.argv[1]]))"),
        ("examples", "from hive_acid.cli import main; sys.exit(main(['demo']))"),
        ("ops", f"{METRICS}; sys.exit(counted(Namespace(metrics_port=0), None).__enter__())"),
        (
            "sqltest",
            "from pathlib import Path; from hive_acid_sqltest.table_files import _dump_file as dump; [*dump('', '')]",
        ),
    ],
    ids=["Python", "libraries", "command", "tour", "metrics", "rows"],
)
def test_a_call_that_lacks_a_library_names_the_extra_that_brings_it(extra: str, program: str, tmp_path: Path) -> None:
    command = (sys.executable, "-c", ABSENT + program, str(tmp_path / "keys"))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "[HIVE_ACID_CONFIGURATION.EXTRA_MISSING]" in done.stderr, done.stderr
    assert f"'spark-hive-acid[{extra}]'" in done.stderr


def test_what_a_package_imports_is_brought_by_its_installation() -> None:
    """By its distribution, or by the extra of its wing."""
    project = PROJECT["project"]
    ours = {CORE.name, *(path.name for path in WINGS)}
    found = set()
    for path in sorted((ROOT / "python").glob("hive_acid*/**/*.py")):
        name = path.relative_to(ROOT / "python").as_posix()
        package = name.partition("/")[0]
        extra = package.removeprefix("hive_acid_") if package != CORE.name else None
        brought = find_names(project["dependencies"]) | find_brought(extra)
        foreign = find_imported(path) - ours - set(sys.stdlib_module_names) - brought
        found |= {(name, library) for library in foreign}
    typing = {pair for pair in found if pair[1] == "typing_extensions"}  # for type checkers, which have it
    users = {pair for pair in found if pair[1] in BROUGHT_BY_USERS}
    assert found - typing - users == set()


def find_brought(extra: str | None) -> set[str]:
    wanted = PROJECT["project"]["optional-dependencies"][extra] if extra else []
    others = [name for each in wanted for name in find_extras(each)]
    return set(find_names(wanted)).union(*map(find_brought, others))


def find_extras(wanted: str) -> list[str]:
    """The extras of this distribution that a line asks for."""
    found = re.fullmatch(rf"{PROJECT['project']['name']}\[(.*)\]", wanted)
    return found[1].split(",") if found else []


def find_names(wanted: list[str]) -> set[str]:
    """Under which these distributions can be imported: their own, or for a namespace its beginning."""
    found = [re.match(r"[\w-]+", each)[0] for each in wanted]
    return {name.replace("-", "_") for name in found} | {name.partition("-")[0] for name in found}


def find_imported(path: Path) -> set[str]:
    """The top-level names of all that a module imports, whenever it does."""
    nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
    plain = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    taken = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module and not node.level}
    return {name.partition(".")[0] for name in plain | taken}


def test_each_wing_is_shipped_and_typed_and_has_an_extra_and_contracts() -> None:
    names = {path.name for path in WINGS}
    wanted = {CORE.name, *names}
    hatch, tool = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"], PROJECT["tool"]
    assert set(hatch["packages"]) == set(tool["mypy"]["files"]) - {DOUBLES} == {f"python/{name}" for name in wanted}
    assert set(tool["importlinter"]["root_packages"]) == set(tool["coverage"]["run"]["source"]) == wanted
    assert {name.removeprefix("hive_acid_") for name in names} <= set(PROJECT["project"]["optional-dependencies"])
    forbidden = [contract for contract in tool["importlinter"]["contracts"] if contract["type"] == "forbidden"]
    assert [c["forbidden_modules"] for c in forbidden if c["source_modules"] == [CORE.name]] == [sorted(names)]
    judged = {name: c for c in forbidden for name in c["source_modules"] if name in names}
    assert {name: set(c["forbidden_modules"]) for name, c in judged.items()} == {n: wanted - {n} for n in names}
    assert {name for name in names if not (ROOT / "python" / name / "py.typed").is_file()} == set()


@pytest.mark.parametrize("module", FACE, ids=lambda path: path.stem)
def test_a_module_of_the_face_has_a_line_for_each_name_that_it_hands_on_and_no_code(module: Path) -> None:
    docstring, *imports = ast.parse(module.read_text("utf-8")).body
    assert isinstance(docstring, ast.Expr)
    taken = [name.asname for each in imports if isinstance(each, ast.ImportFrom) for name in each.names]
    assert len(taken) == len(imports)
    assert None not in taken


def test_a_tool_that_asks_for_names_and_times_needs_neither_spark_nor_thrift() -> None:
    modules = ", ".join(f"hive_acid.api.{name}" for name in ("clocks", "command_line", "extras", "files"))
    program = f"import sys, {modules}; print({{'pyspark', 'py4j', 'thrift', 'rich'}} & set(sys.modules))"
    done = subprocess.run((sys.executable, "-c", program), capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_each_name_of_the_face_is_told_to_those_who_build_on_it() -> None:
    """By a docstring, or by the value of a constant."""
    modules = [import_module(f"hive_acid.api.{module.stem}") for module in FACE]
    assert [name for module in modules for name in listed_names(module) if not meaning_of(module, name)] == []


def test_each_name_of_the_face_is_used_by_a_wing() -> None:
    listed = {f"{module.stem}.{name}" for module in FACE for name in find_listed(module)}
    assert listed - {name for wing in WINGS for path in wing.rglob("*.py") for name in find_taken(path)} == set()


def find_listed(module: Path) -> list[str]:
    imports = [node for node in ast.parse(module.read_text("utf-8")).body if isinstance(node, ast.ImportFrom)]
    return [name.asname or name.name for each in imports for name in each.names]


def find_taken(path: Path) -> list[str]:
    """The names that a module of a wing takes from the face, as `module.name`."""
    imports = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)]
    face = f"{CORE.name}.api."
    return [
        f"{each.module.removeprefix(face)}.{name.name}"
        for each in imports
        if each.module and each.module.startswith(face)
        for name in each.names
    ]
