"""What holds of all tests."""

import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer

from support.dealing import CACHE_KEY, UnitScheduling, UnitSeconds, is_whole_run
from support.early_failures import EarlyFailures
from support.gate import find_unknown_patterns, is_left_out
from support.parts import PartChoice, parse_part
from support.promises import TouchedChoice
from support.spark_lines import spell_like_the_newest
from support.spark_settings import set_options_of_commands

# how long an example takes is a matter of what else the machine does
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

spell_like_the_newest()
set_options_of_commands()

_SECONDS = pytest.StashKey[UnitSeconds]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Of runs of a part of the tests, and of a check of the marks."""
    parser.addoption("--part", metavar="I/N", help="only part I of N; all parts together run each test once")
    parser.addoption("--changed", metavar="FILE", help="only tests that a change of the files listed in it can break")
    parser.addoption("--check-marks", action="store_true", help="fail where a mark names a cell that is not there")


def pytest_configure(config: pytest.Config) -> None:
    """The process that the user started notes how long things take."""
    # a shell starts what runs in its background with Ctrl-C ignored, and programs of tests would inherit that
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if changed := config.getoption("--changed"):
        config.pluginmanager.register(TouchedChoice(Path(changed).read_text("utf-8").splitlines()))
    if config.getoption("--part"):
        try:
            config.pluginmanager.register(PartChoice(parse_part(config.getoption("--part"))))
        except ValueError as error:
            raise pytest.UsageError(str(error)) from error
    if not hasattr(config, "workerinput"):
        config.stash[_SECONDS] = UnitSeconds(is_whole_run(config))
        config.pluginmanager.register(config.stash[_SECONDS])
        config.pluginmanager.register(EarlyFailures(config))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Before `-m` chooses."""
    if config.getoption("--check-marks") and (unknown := find_unknown_patterns(items)):
        raise pytest.UsageError(f"no cell has the pattern of a mark: {unknown}")
    for item in items:
        if is_left_out(item):
            item.add_marker(pytest.mark.slow)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Kept for the next run."""
    noted, cache = session.config.stash.get(_SECONDS, None), _find_cache(session.config)
    if noted and cache:
        cache.set(CACHE_KEY, {**cache.get(CACHE_KEY, {}), **noted.seconds})


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> UnitScheduling:
    """However many processes there are."""
    cache = _find_cache(config)
    return UnitScheduling(config, log, cache.get(CACHE_KEY, {}) if cache else {})


def _find_cache(config: pytest.Config) -> pytest.Cache | None:
    return getattr(config, "cache", None)  # none where pytest's plugin is switched off
