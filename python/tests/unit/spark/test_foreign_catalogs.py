"""Catalogs with metastores of their own: who answers for which, and until when."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.metastore.absent import AbsentMetastore
from hive_acid.session.foreign_catalogs import ForeignCatalogs
from hive_acid.wire.catalogs import CatalogRequest


def name_of(side: Any) -> Any:
    """In place of an API."""
    return side.name


class Made:
    """Catalogs whose sides only note that they are closed."""

    def __init__(self) -> None:
        self.asked: list[CatalogRequest] = []
        self.closed: list[str] = []
        self.catalogs = ForeignCatalogs(self._build, name_of)

    def _build(self, asked: CatalogRequest) -> Any:
        self.asked.append(asked)
        name = f"{asked.name} at {asked.options['hive.metastore.uris']}"
        return SimpleNamespace(name=name, close=lambda: self.closed.append(name))


def request(name: str, uris: str) -> CatalogRequest:
    return CatalogRequest(name, {"hive.metastore.uris": uris})


def test_a_catalog_is_made_once_for_its_name_and_options() -> None:
    made = Made()
    found = [made.catalogs.python_api(request(*of)) for of in (("a", "x"), ("b", "x"), ("a", "x"), ("a", "y"))]
    assert found == ["a at x", "b at x", "a at x", "a at y"]
    assert len(made.asked) == 3


def test_all_are_closed_and_made_anew_afterwards() -> None:
    made = Made()
    made.catalogs.python_api(request("a", "x"))
    made.catalogs.python_api(request("b", "x"))
    made.catalogs.close()
    made.catalogs.close()
    assert sorted(made.closed) == ["a at x", "b at x"]
    made.catalogs.python_api(request("a", "x"))
    assert len(made.asked) == 3


def test_a_catalog_that_could_not_be_made_is_tried_again() -> None:
    failures = [build_error("HIVE_ACID_CONFIGURATION.CATALOG_WITHOUT_METASTORE", catalog="a")]

    def build(asked: CatalogRequest) -> Any:
        if failures:
            raise failures.pop()
        return SimpleNamespace(name="answers", close=lambda: None)

    catalogs = ForeignCatalogs(build, name_of)
    with pytest.raises(HiveAcidError):
        catalogs.python_api(request("a", "x"))
    answer: Any = catalogs.python_api(request("a", "x"))
    assert answer == "answers"


def test_a_session_without_a_metastore_says_so_when_it_is_asked() -> None:
    absent = AbsentMetastore()
    assert absent.config_value("metastore.txn.timeout", "300s") == "300s"
    absent.close()
    with pytest.raises(HiveAcidError) as caught:
        absent.transactions()
    assert caught.value.getCondition() == "HIVE_ACID_CONFIGURATION.SESSION_WITHOUT_METASTORE"
