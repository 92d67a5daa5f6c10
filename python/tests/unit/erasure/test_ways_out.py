"""No error, exit or log record of an erasure tells a name, whatever class it is of; the callers of others go on."""

from __future__ import annotations

import builtins
import logging
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from hive_acid.errors import HiveAcidError, build_error
from hive_acid_erasure.secrecy import keeping, work_masked
from hive_acid_erasure.subjects.subjects import read_subjects

NAME = "Ann Lee"


class _Odd(OSError):
    def __init__(self, one: str) -> None:
        super().__init__(5, one)


class _Mute(ValueError):
    def getCondition(self) -> str:  # noqa: N802
        raise RuntimeError(NAME)


def hide(text: str) -> str:
    return text.replace(NAME, "#")


def fail(error: BaseException) -> Callable[[], None]:
    def work() -> None:
        raise error

    return work


_group = getattr(builtins, "BaseExceptionGroup", lambda text, _: ValueError(text))
ERRORS: dict[str, BaseException] = {
    "a class that is made otherwise": _Odd(f"reading /t/who={NAME}"),
    "a class that fails": _Mute(NAME),
    "several of Python": getattr(builtins, "BaseExceptionGroup", lambda text, _: ValueError(text))(
        NAME, [SystemExit()]
    ),
    "the text of a system error": OSError(5, f"Input/output error: /t/who={NAME}/x"),
    "two files": OSError(18, "Invalid cross-device link", f"/t/{NAME}", None, f"/u/{NAME}"),
    "a text for an exit": SystemExit(f"who={NAME}"),
}


@pytest.mark.parametrize("kind", ERRORS)
def test_an_error_of_any_class_tells_nobody(kind: str) -> None:
    with pytest.raises(BaseException) as caught:
        work_masked(hide, fail(ERRORS[kind]))
    assert NAME not in "".join(traceback.format_exception(caught.value)) + repr(caught.value.args)
    assert caught.value.__context__ is None


def test_an_interrupt_while_an_error_is_masked_tells_nobody() -> None:
    def interrupt(_: str) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        work_masked(interrupt, fail(build_error("HIVE_ACID_STORAGE", path=NAME, action="reading", reason="x")))
    assert NAME not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("code", [143, 0, None])
def test_an_exit_keeps_its_code(code: int | None) -> None:
    with pytest.raises(SystemExit) as caught:
        work_masked(hide, fail(SystemExit(code)))
    assert caught.value.code == code


def test_an_error_of_the_system_keeps_its_class_and_number() -> None:
    with pytest.raises(FileNotFoundError) as caught:
        work_masked(hide, fail(FileNotFoundError(2, "?", f"/t/{NAME}")))
    assert (caught.value.errno, caught.value.filename) == (2, "/t/#")
    with pytest.raises(HiveAcidError, match="_Mute"):
        work_masked(hide, fail(ERRORS["a class that fails"]))


def test_each_field_of_a_log_record_is_masked(caplog: pytest.LogCaptureFixture) -> None:
    extra = {"fragment": f"who = '{NAME}'", "told": {NAME: [NAME, 7]}, "failure": ValueError(NAME), "rows": 7}
    with keeping(hide):
        logging.getLogger("third.party").error("x", extra=extra)
    assert NAME not in str(vars(caplog.records[-1]))
    assert vars(caplog.records[-1])["rows"] == 7


def test_errors_that_py4j_logs_are_masked(caplog: pytest.LogCaptureFixture) -> None:
    with keeping(hide):
        try:
            raise ValueError(NAME)
        except ValueError:
            logging.getLogger("py4j.clientserver").exception("in the Python Proxy")
    assert NAME not in f"{caplog.records[-1].exc_text} {caplog.records[-1].exc_info}"


def test_a_record_with_wrong_arguments_does_not_end_its_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[logging.LogRecord] = []
    logger = logging.getLogger("third.party")
    monkeypatch.setattr(logger, "handle", made.append)
    with keeping(hide):
        logger.error("%d rows", NAME)
        logger.error("%d rows", "many")
    assert NAME not in f"{made[0].msg} {made[0].args}"
    assert (made[1].msg, made[1].args) == ("%d rows", ("many",))


@pytest.mark.parametrize(("name", "content"), [("x.txt", "Müller\nAnn Lee\n"), ("x.csv", 'who\n"Ann Lee" Müller\n')])
def test_the_error_of_a_list_that_cannot_be_read_carries_nothing_of_it(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode("latin-1" if name == "x.txt" else "utf-8"))
    with pytest.raises(HiveAcidError) as caught:
        read_subjects(path, ["who"])
    assert caught.value.__context__ is None
