"""Settings: what is not set has its default, and what is wrong is said."""

from __future__ import annotations

import pytest

from hive_acid import config
from hive_acid.config import SETTINGS, Settings
from hive_acid.errors import ConfigurationError
from hive_acid.hive_settings import parse_duration_ms


def test_a_session_overrides_what_the_application_was_started_with() -> None:
    started = Settings({"spark.hiveacid.lock.timeoutMs": "5", "spark.hiveacid.statement.maxAttempts": "7"})
    session = started.overridden_by({"spark.hiveacid.lock.timeoutMs": "6", "spark.sql.shuffle.partitions": "9"})
    assert session.number(config.LOCK_TIMEOUT_MS) == 6
    assert session.number(config.MAX_ATTEMPTS) == 7
    assert session.number(config.LOCK_POLL_MIN_MS) == config.LOCK_POLL_MIN_MS.default


def test_keys_are_found_in_whatever_case_spark_hands_them_over() -> None:
    assert Settings({}).overridden_by({"spark.hiveacid.lock.timeoutms": "6"}).number(config.LOCK_TIMEOUT_MS) == 6


def test_a_misspelt_key_is_an_error_that_names_the_one_that_is_meant() -> None:
    with pytest.raises(ConfigurationError, match=r"spark\.hiveacid\.lock\.timeoutMs\?"):
        Settings({}).overridden_by({"spark.hiveacid.lock.timeout": "6"})


@pytest.mark.parametrize("text", ["", "soon", "-1", "1.5", "5s", "٣"])
def test_what_is_no_whole_number_is_an_error(text: str) -> None:
    with pytest.raises(ConfigurationError, match="not a whole number from 0 on"):
        Settings({config.LOCK_TIMEOUT_MS.key: text}).number(config.LOCK_TIMEOUT_MS)


def test_a_pause_of_nothing_would_never_let_go_of_the_metastore() -> None:
    with pytest.raises(ConfigurationError, match="from 1 on"):
        Settings({config.LOCK_POLL_MIN_MS.key: "0"}).number(config.LOCK_POLL_MIN_MS)


@pytest.mark.parametrize(("text", "value"), [("true", True), (" FALSE ", False)])
def test_flags_are_true_or_false(text: str, value: bool) -> None:
    setting = config.ALLOW_NON_ATOMIC_RENAME
    assert Settings({setting.key: text}).flag(setting) is value
    with pytest.raises(ConfigurationError, match="not true or false"):
        Settings({setting.key: "yes"}).flag(setting)


def test_every_default_is_a_value_of_its_setting() -> None:
    for setting in SETTINGS:
        if isinstance(setting.default, int):
            assert Settings({}).number(setting) == setting.default


@pytest.mark.parametrize(
    ("text", "expected_ms"),
    [
        ("300s", 300_000),
        ("300", 300_000),
        ("300 seconds", 300_000),
        ("5m", 300_000),
        ("5 minutes", 300_000),
        ("1500ms", 1500),
        ("1500 MSEC", 1500),
        ("2000us", 2),
        ("3000000nsec", 3),
        ("1h", 3_600_000),
        ("2hours", 7_200_000),
        ("1day", 86_400_000),
    ],
)
def test_hives_durations_are_read(text: str, expected_ms: int) -> None:
    assert parse_duration_ms(text) == expected_ms


@pytest.mark.parametrize("text", ["", "soon", "5 parsecs", "-1s", "5 months ago", "5mi"])
def test_what_is_no_duration_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="not a duration"):
        parse_duration_ms(text)


def test_hives_own_settings_serve_where_ours_is_not_set() -> None:
    site = {"metastore.client.socket.timeout": "10m", "hive.metastore.client.socket.timeout": "90s"}
    assert Settings({}).completed_by(site.get).number(config.METASTORE_TIMEOUT_MS) == 90_000
    ours = Settings({config.METASTORE_TIMEOUT_MS.key: "5"})
    assert ours.completed_by(site.get).number(config.METASTORE_TIMEOUT_MS) == 5


def test_a_setting_of_hive_that_is_no_time_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"hive\.metastore\.client\.socket\.timeout is not a duration: 'soon'"):
        Settings({}).completed_by({"hive.metastore.client.socket.timeout": "soon"}.get)


def test_hives_bounds_of_the_wait_for_a_lock_are_ours() -> None:
    site = {"hive.lock.sleep.between.retries": "500ms", "hive.lock.numretries": "20"}
    settings = Settings({}).completed_by(site.get)
    assert settings.number(config.LOCK_POLL_MAX_MS) == 500
    assert settings.number(config.LOCK_TIMEOUT_MS) == 10_000
    only_tries = Settings({}).completed_by({"hive.lock.numretries": "2"}.get)
    assert only_tries.number(config.LOCK_POLL_MAX_MS) == config.LOCK_POLL_MAX_MS.default
    assert only_tries.number(config.LOCK_TIMEOUT_MS) == 120_000  # Hive pauses for 60 s by default
    ours = Settings({config.LOCK_TIMEOUT_MS.key: "5"}).completed_by(site.get)
    assert ours.number(config.LOCK_TIMEOUT_MS) == 5


@pytest.mark.parametrize(
    ("site", "expected_ms"),
    [
        ({}, config.METASTORE_CONNECT_TIMEOUT_MS.default),
        ({"hive.metastore.connect.retries": "24", "hive.metastore.client.connect.retry.delay": "5s"}, 120_000),
        ({"metastore.connect.retries": "5"}, 5_000),
        ({"metastore.client.connect.retry.delay": "2"}, 6_000),
        ({"hive.metastore.connect.retries": "0"}, 0),
    ],
)
def test_hives_rounds_of_connecting_are_a_time_of_ours(site: dict[str, str], expected_ms: int) -> None:
    setting = config.METASTORE_CONNECT_TIMEOUT_MS
    assert Settings({}).completed_by(site.get).number(setting) == expected_ms
    assert Settings({setting.key: "7"}).completed_by(site.get).number(setting) == 7


def test_a_pause_of_hive_that_is_too_short_for_us_is_our_shortest() -> None:
    settings = Settings({}).completed_by({"hive.lock.sleep.between.retries": "0s"}.get)
    assert settings.number(config.LOCK_POLL_MAX_MS) == config.LOCK_POLL_MAX_MS.minimum


def test_tries_that_are_no_number_are_named() -> None:
    with pytest.raises(ConfigurationError, match=r"hive\.lock\.numretries is 'many', not a whole number"):
        Settings({}).completed_by({"hive.lock.numretries": "many"}.get)
    with pytest.raises(ConfigurationError, match=r"metastore\.connect\.retries is 'many', not a whole number"):
        Settings({}).completed_by({"metastore.connect.retries": "many"}.get)
