"""Whatever fails in an erasure or a search, and whatever the error quotes: nothing that they leave names a subject."""

from __future__ import annotations

import itertools
import logging
import traceback
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkRuntimeError

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.model.table import Partition, TableName
from hive_acid_erasure.certificate.certifying import Case, recheck
from hive_acid_erasure.run import erase_subjects, find_subjects, verify_subjects
from hive_acid_erasure.secrecy import mask_error
from hive_acid_erasure.subjects.spotting import Spotters
from hive_acid_erasure.verify.places import PlaceKind
from support.erasure_disk import Killed
from support.erasure_shop import SALES, SUBJECTS, Shop, add_table

LINK = "a-17"
"""The account of a subject, which nobody has given: a table tells it."""
QUOTED = f"no partition day={SUBJECTS[0].upper()} or 'bo%2Ederek%40example%2Eorg' of account {LINK}"


class _OfSpark(PySparkRuntimeError):
    def __init__(self) -> None:
        super().__init__("CAST_INVALID_INPUT", {})
        self._message = QUOTED

    def getCondition(self) -> str:  # noqa: N802
        return "CAST_INVALID_INPUT"

    def __str__(self) -> str:
        return QUOTED


class _OfAnalysis(AnalysisException):
    def __init__(self) -> None:
        super().__init__("UNRESOLVED_COLUMN", {})
        self._message = QUOTED

    def getCondition(self) -> str:  # noqa: N802
        return "UNRESOLVED_COLUMN"

    def __str__(self) -> str:
        return f"[UNRESOLVED_COLUMN] did you mean {QUOTED}?"


class _OfPy4J(Exception):
    """As a Py4JJavaError, whose text is the stack trace of the JVM."""

    class java_exception:  # noqa: N801
        @staticmethod
        def getClass() -> Any:  # noqa: N802
            return type("Class", (), {"getName": staticmethod(lambda: "java.lang.IllegalStateException")})

    def __str__(self) -> str:
        return f"An error occurred while calling o7.collect.\n: java.lang.IllegalStateException: {QUOTED}"


def chained() -> Exception:
    try:
        try:
            raise ValueError(QUOTED)
        except ValueError:
            raise KeyError(QUOTED)  # noqa: B904
    except KeyError as error:
        built = build_error("HIVE_ACID_STORAGE", path=f"/warehouse/day={SUBJECTS[0]}", action="reading", reason=QUOTED)
        built.__cause__ = error
        return built


ERRORS: dict[str, Callable[[], BaseException]] = {
    "ours": chained,
    "of the metastore": lambda: build_error("HIVE_ACID_METASTORE_REFUSED", method="x", reason=QUOTED, outcome=""),
    "of Spark": _OfSpark,
    "of the analysis": _OfAnalysis,
    "of py4j": _OfPy4J,
    "of Python": lambda: RuntimeError(QUOTED),
    "of the system": lambda: FileNotFoundException(2, "No such file", f"/day={SUBJECTS[0]}/x"),
    "without a number": lambda: OSError(QUOTED),
    "of the user": lambda: KeyboardInterrupt(QUOTED),
    "that ends all": lambda: SystemExit(QUOTED),
}
FileNotFoundException = FileNotFoundError


class Failing:
    """Fails at the call of this number, and logs the error before."""

    def __init__(self, inner: Any, at: int, build: Callable[[], BaseException]) -> None:
        self.inner, self.at, self.build, self.calls = inner, at, build, 0
        self.is_link_known = False

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.inner, name)
        if not callable(found):
            return found

        def call(*args: Any, **kwargs: Any) -> Any:
            self.calls += 1
            if self.calls == self.at:
                error = self.build()
                try:
                    raise error
                except BaseException:
                    for logger in ("hive_acid.somewhere", "SQLQueryContextLogger"):
                        logging.getLogger(logger).exception("it failed: %s", error)
                    raise
            result = found(*args, **kwargs)
            self.is_link_known = self.is_link_known or (name == "links" and bool(result))
            return result

        return call


def names_in(text: str) -> list[str]:
    plain = text.lower().replace("%2e", ".").replace("%40", "@")
    return [name for name in (*SUBJECTS, LINK) if name in plain]


def shown(error: BaseException) -> str:
    chain = "".join(traceback.format_exception(error))
    parameters = error.getMessageParameters() if isinstance(error, HiveAcidError) else {}
    return f"{chain} {error!r} {error.args} {parameters} {error.__context__!r} {error.__cause__!r}"


def left(shop: Shop) -> str:
    files = [path for path in shop.folder.rglob("*") if path.is_file()]
    return "\n".join([*shop.told, *(path.read_text() for path in files)])


@pytest.mark.parametrize("part", ["engine", "metastore", "files"])
def test_an_error_at_any_call_tells_nobody(make_shop: Any, part: str, caplog: pytest.LogCaptureFixture) -> None:
    failed = 0
    for at, kind in enumerate(itertools.islice(itertools.cycle(ERRORS), 200), start=1):
        shop = make_shop()
        engine = shop.engine = Failing(shop.disk, 0, ERRORS[kind])
        broken = Failing(getattr(shop, part), at, ERRORS[kind])
        setattr(shop, part, broken)
        engine = broken if part == "engine" else engine
        try:
            shop.erase()
        except BaseException as error:  # noqa: BLE001
            failed += 1
            unknown = set() if engine.is_link_known else {LINK}
            assert set(names_in(shown(error))) <= unknown, (at, kind, shown(error))
        assert names_in(left(shop)) == [], (at, kind)
        if broken.calls < at:
            break
    assert failed > 5
    for record in caplog.records:
        text = f"{record.getMessage()} {record.exc_text} {record.exc_info}"
        assert not set(names_in(text)) - {LINK}, text


@pytest.mark.parametrize("kind", ERRORS)
def test_nor_does_one_of_a_dry_run_a_search_or_a_search_by_a_certificate(shop: Shop, kind: str) -> None:
    outcome = shop.erase()
    assert outcome.certificate is not None
    searches: list[tuple[Callable[[], object], set[str]]] = [
        (lambda: recheck(outcome.certificate, shop.certificate, shop.key, shop.world()), set()),
        (shop.verify, {LINK}),  # no row tells it any more
        (lambda: find_subjects(shop.case(), shop.world()), {LINK}),
    ]
    for at in (1, 2, 5, 9):
        shop.engine = Failing(shop.disk, at, ERRORS[kind])
        for search, unknown in searches:
            shop.engine.calls = 0
            with pytest.raises(BaseException) as caught:
                search()
            assert set(names_in(shown(caught.value))) <= unknown


NUMBERED = Partition("day=123-45-6789", ("123-45-6789",), "/warehouse/sales/day=123-45-6789")
"""Its key is `replace(day, '-', '')`, so that no text of it has the subject's number."""


def open_numbered(shop: Shop) -> Case:
    shop.plan = {"subjects": ["id"], "tables": {"shop.sales": {"keys": {"id": "day"}}}}
    shop.disk.spellings["day"] = lambda given: given.replace("-", "")
    shop.metastore.add_partition(SALES, NUMBERED)
    shop.disk.put(f"{NUMBERED.location}/delta_0000001_0000001_0000/bucket_00000", {"day": "123456789"}, {"day": "7"})
    return shop.case("erasure", ["123456789"])


def test_a_partition_whose_values_only_a_key_makes_a_subject_of_is_told_nowhere(shop: Shop) -> None:
    case = open_numbered(shop)
    outcome = erase_subjects(case, shop.world(), shop.ledger, shop.signer, shop.certificate)
    (place,) = outcome.verdict.places
    assert place.kind is PlaceKind.PARTITION_NAME and "#" in place.where
    assert any(text.startswith("compact: shop.sales day=#") for text in shop.told)
    assert outcome.certificate is not None
    (again,) = recheck(outcome.certificate, shop.certificate, shop.key, shop.world())
    assert again.places == (place,) and again.rewritten.unchanged == 1
    searched = verify_subjects(shop.case("verification", ["123456789"]), shop.world())
    assert NUMBERED.values[0] not in f"{left(shop)} {outcome} {again} {searched}"


def test_nor_by_a_run_that_goes_on_after_a_kill(shop: Shop) -> None:
    def kill() -> None:
        raise Killed

    def erase() -> None:
        erase_subjects(open_numbered(shop), shop.world(), shop.ledger, shop.signer, shop.certificate)

    shop.disk.on_confirmed = kill
    with pytest.raises(Killed):
        erase()
    shop.disk.on_confirmed = lambda: None
    erase()
    assert shop.disk.deleted_rows == 1 and NUMBERED.values[0] not in left(shop)


def test_nor_one_that_comes_between_two_runs(shop: Shop) -> None:
    def kill() -> None:
        raise Killed

    case = open_numbered(shop)
    shop.metastore.remove_partition(SALES, NUMBERED.name)
    (path,) = (path for path in shop.disk.contents if NUMBERED.values[0] in path)
    later = shop.disk.contents[path]
    shop.disk.remove(path)
    shop.disk.put("/warehouse/sales/day=1/delta_0000002_0000002_0000/bucket_00000", {"day": "123456789"})
    shop.disk.on_confirmed = kill
    with pytest.raises(Killed):
        erase_subjects(case, shop.world(), shop.ledger, shop.signer, shop.certificate)
    shop.disk.on_confirmed = lambda: None
    shop.metastore.add_partition(SALES, NUMBERED)
    shop.disk.put(path, *later.rows)
    case = shop.case("erasure", ["123456789"])
    erase_subjects(case, shop.world(), shop.ledger, shop.signer, shop.certificate)
    assert shop.disk.deleted_rows == 2 and NUMBERED.values[0] not in left(shop)


def test_an_error_of_the_system_without_a_number_tells_no_part_of_a_name() -> None:
    """The text is another program's, as pyarrow's errors of storage are."""
    told = mask_error(OSError(f"cannot parse '{SUBJECTS[0][:7]}'"), lambda text: text.replace(SUBJECTS[0], "#"))
    assert isinstance(told, OSError) and SUBJECTS[0][:7] not in shown(told)


def test_an_error_keeps_its_class_and_what_it_tells_of_others(shop: Shop) -> None:
    expected = {
        "ours": "HIVE_ACID_STORAGE",
        "of Spark": "CAST_INVALID_INPUT",
        "of the analysis": "UNRESOLVED_COLUMN",
        "of py4j": "java.lang.IllegalStateException",
        "of Python": "RuntimeError in test_secrecy.py",
        "of the system": "No such file",
        "of the user": "KeyboardInterrupt",
    }
    for kind, text in expected.items():
        shop.engine = Failing(shop.disk, 3, ERRORS[kind])
        with pytest.raises(BaseException) as caught:
            shop.erase()
        assert text in shown(caught.value)
        assert isinstance(caught.value, HiveAcidError) or type(caught.value) is type(ERRORS[kind]())


def test_what_cannot_be_masked_is_not_shown(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: object, text: str) -> str:
        raise IndexError(text)

    shop.engine = Failing(shop.disk, 3, ERRORS["ours"])
    monkeypatch.setattr(Spotters, "mask", fail)
    with pytest.raises(HiveAcidError) as caught:
        shop.erase()
    assert caught.value.getCondition() == "HIVE_ACID_STORAGE"
    assert names_in(shown(caught.value)) == []


def test_records_of_others_and_of_later_are_as_they_were_made(shop: Shop, caplog: pytest.LogCaptureFixture) -> None:
    shop.erase()
    for name in ("hive_acid.somewhere", "others"):
        logging.getLogger(name).warning("for %s", SUBJECTS[0])
    assert [record.getMessage() for record in caplog.records[-2:]] == [f"for {SUBJECTS[0]}"] * 2


def test_no_link_is_read_from_such_a_file_either(shop: Shop) -> None:
    logins, where = TableName("shop", "logins"), f"email={SUBJECTS[0]}"
    location = f"{add_table(shop.metastore, logins, 'email')}/{where}"
    shop.metastore.add_partition(logins, Partition(where, (SUBJECTS[0],), location))
    shop.disk.put(f"{location}/000000_0", {"account": "a-17"}, problem="damage")
    step = {"table": "shop.logins", "keys": {"email": "email"}, "link": {"account": "account"}}
    shop.plan["tables"] = {"shop.notes": {"keys": {"account": "account"}, "via": [step]}}
    shop.disk.links = lambda *_: pytest.fail("a query has read it")  # type: ignore[method-assign]
    with pytest.raises(HiveAcidError) as caught:
        shop.erase()
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.NOT_COUNTED"
    assert names_in(shown(caught.value)) == []


def test_no_query_reads_a_file_that_cannot_be_read_where_its_path_names_a_subject(shop: Shop) -> None:
    location = f"/warehouse/sales/day={SUBJECTS[0]}"
    shop.metastore.add_partition(SALES, Partition(f"day={SUBJECTS[0]}", (SUBJECTS[0],), location))
    shop.disk.put(f"{location}/000000_0", {"email": "cyd"}, problem="damage")
    count, counted = shop.disk.count, list[str]()
    shop.disk.count = lambda *given: (counted.append(str(given[0].table)), count(*given))[1]  # type: ignore[method-assign]
    with pytest.raises(HiveAcidError) as caught:
        shop.erase()
    assert caught.value.getCondition() == "HIVE_ACID_ERASURE.NOT_COUNTED"
    masked = shown(caught.value)
    assert "/000000_0" in masked and "damage" in masked and names_in(masked) == []
    assert "shop.sales" not in counted
    places = shop.verify().verdict.places
    assert "damage" in "".join(place.detail for place in places if place.kind is PlaceKind.UNSEARCHED)
