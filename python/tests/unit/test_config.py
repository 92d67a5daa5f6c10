"""Settings: what is not set has its default, and what is wrong is said."""

from __future__ import annotations

import pytest

from hive_acid import config
from hive_acid.config import SETTINGS, Settings
from hive_acid.errors import ConfigurationError


def test_a_session_overrides_what_the_application_was_started_with() -> None:
    started = Settings({"spark.hiveacid.lock.timeoutMs": "5", "spark.hiveacid.statement.maxAttempts": "7"})
    session = started.overridden_by({"spark.hiveacid.lock.timeoutMs": "6", "spark.sql.shuffle.partitions": "9"})
    assert session.number(config.LOCK_TIMEOUT_MS) == 6
    assert session.number(config.MAX_ATTEMPTS) == 7
    assert session.number(config.LOCK_POLL_MIN_MS) == config.LOCK_POLL_MIN_MS.default


def test_keys_are_found_in_whatever_case_spark_hands_them_over() -> None:
    assert Settings({}).overridden_by({"spark.hiveacid.lock.timeoutms": "6"}).number(config.LOCK_TIMEOUT_MS) == 6


def test_a_misspelt_key_is_an_error_that_names_the_one_that_is_meant() -> None:
    with pytest.raises(ConfigurationError, match=r"spark\.hiveacid\.lock\.timeoutMs meant"):
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
