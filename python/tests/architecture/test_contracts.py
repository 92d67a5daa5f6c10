"""What the contracts on imports forbid is forbidden for packages that are yet to come, too."""

from __future__ import annotations

import re
from typing import Any

from architecture.documents import ROOT
from hive_acid.older_python import tomllib

PACKAGE = "hive_acid"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
FORBIDDEN: dict[str, set[str]] = {
    contract["name"]: set(contract["forbidden_modules"])
    for contract in PROJECT["tool"]["importlinter"]["contracts"]
    if contract["type"] == "forbidden"
}
OF_A_CONNECT_CLIENT = {"pyspark", "pyarrow", "pandas"}
OF_OLDER_PYTHONS = {"tomli"}
IMPORTED_AS = {"opentelemetry-api": "opentelemetry", "prometheus-client": "prometheus_client"}


def list_packages() -> set[str]:
    """What lies directly below the package, as contracts name it."""
    below = (ROOT / "python" / PACKAGE).iterdir()
    modules = {path.stem for path in below if path.suffix == ".py" or (path / "__init__.py").is_file()}
    return {f"{PACKAGE}.{name}" for name in modules - {"__init__"}}


def list_missing(forbidden: set[str]) -> set[str]:
    """Packages of ours that a contract does not judge although it forbids others."""
    ours = {name for name in forbidden if name.split(".")[0] == PACKAGE}
    return set() if not ours or ours & {PACKAGE, f"{PACKAGE}.*"} else list_packages() - ours


def test_a_contract_that_forbids_packages_of_ours_forbids_all() -> None:
    """The exceptions are imports, each with its reason."""
    assert {name: missing for name, forbidden in FORBIDDEN.items() if (missing := list_missing(forbidden))} == {}


def test_a_package_that_a_list_lacks_is_found() -> None:
    packages = list_packages()
    assert {f"{PACKAGE}.local", f"{PACKAGE}.wire", f"{PACKAGE}.cli"} <= packages
    assert list_missing(packages) == set()
    assert list_missing(packages - {f"{PACKAGE}.wire"}) == {f"{PACKAGE}.wire"}


def test_a_client_of_spark_connect_is_judged_by_every_dependency() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    wanted = [
        *PROJECT["project"]["dependencies"],
        *(each for extra in extras if extra != "dbt" for each in extras[extra]),
    ]
    found = {re.match(r"[\w-]+", each)[0] for each in wanted} - {PROJECT["project"]["name"]}
    names = {IMPORTED_AS.get(name, name) for name in found}
    (forbidden,) = (modules for name, modules in FORBIDDEN.items() if "Spark Connect" in name)
    assert forbidden == names - OF_A_CONNECT_CLIENT - OF_OLDER_PYTHONS
