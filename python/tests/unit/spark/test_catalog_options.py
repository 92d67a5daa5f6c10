"""The options of a catalog with a metastore of its own, beside the settings of the session."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.session.catalog_side import find_metastores_catalog
from hive_acid.wire.catalogs import CatalogRequest
from hive_acid_catalogs.options import configured_for, find_uris, hive_setting_of

URIS = "thrift://other:9083"
OF_SESSION = {
    "hive.metastore.uris": "thrift://own:9083",
    "hive.metastore.sasl.enabled": "true",
    "hive.metastore.kerberos.principal": "hive/_HOST@REALM",
}


def lake(**options: str) -> CatalogRequest:
    return CatalogRequest("lake", {name.replace("__", "."): value for name, value in options.items()})


@pytest.mark.parametrize("name", ["hive.metastore.uris", "metastore.thrift.uris"])
def test_the_address_has_either_of_hives_names(name: str) -> None:
    assert find_uris(CatalogRequest("lake", {name: URIS})) == URIS


@pytest.mark.parametrize(
    ("options", "condition"),
    [
        ({}, "CATALOG_WITHOUT_METASTORE"),
        ({"hive.metastore.uris": ""}, "CATALOG_WITHOUT_METASTORE"),
        ({"hive.metastore.uris": URIS, "uri": URIS}, "CATALOG_OPTION"),
        ({"hive.metastore.uris": URIS, "spark.hiveacid.lock.timeoutMs": "1"}, "CATALOG_OPTION"),
    ],
)
def test_options_that_would_do_nothing_or_harm_are_refused(options: Mapping[str, str], condition: str) -> None:
    with pytest.raises(HiveAcidError) as caught:
        find_uris(CatalogRequest("lake", options))
    assert caught.value.getCondition() == f"HIVE_ACID_CONFIGURATION.{condition}"


@pytest.mark.parametrize(
    ("options", "catalog"),
    [
        ({}, "hive"),
        ({"metastore.catalog.default": "Other"}, "other"),
        ({"hive.metastore.catalog.default": "other"}, "other"),
        ({"metastore.catalog.default": ""}, "hive"),
    ],
)
def test_a_catalog_of_the_metastore_is_named_by_hives_setting(options: dict[str, str], catalog: str) -> None:
    asked = CatalogRequest("lake", {"hive.metastore.uris": URIS, **options})
    assert find_uris(asked) == URIS
    assert find_metastores_catalog(asked) == catalog


def test_the_sessions_own_catalog_is_the_one_that_sparks_client_knows() -> None:
    assert find_metastores_catalog(None) == "hive"


def test_an_option_counts_before_the_session_in_either_spelling() -> None:
    asked = CatalogRequest("lake", {"metastore.sasl.enabled": "false"})
    find = hive_setting_of(asked, OF_SESSION.get)
    assert find("metastore.sasl.enabled") == "false"
    assert find("hive.metastore.sasl.enabled") is None
    assert find("hive.metastore.kerberos.principal") == "hive/_HOST@REALM"
    assert hive_setting_of(lake(), OF_SESSION.get)("hive.metastore.sasl.enabled") == "true"


def test_settings_of_the_session_hold_but_for_its_address_and_what_an_option_says() -> None:
    of_session = {
        "spark.hadoop.hive.metastore.uris": "thrift://own:9083",
        "spark.hadoop.hadoop.security.credential.provider.path": "of the session",
        "spark.hiveacid.lock.timeoutMs": "7",
        "spark.hiveacid.metastore.timeoutMs": "8",
    }
    options = {
        "hadoop.security.credential.provider.path": "of the catalog",
        "spark.hiveacid.metastore.timeoutMs": "9",
    }
    assert configured_for(CatalogRequest("lake", options), of_session) == {
        "spark.hadoop.hadoop.security.credential.provider.path": "of the catalog",
        "spark.hiveacid.lock.timeoutMs": "7",
        "spark.hiveacid.metastore.timeoutMs": "9",
    }
