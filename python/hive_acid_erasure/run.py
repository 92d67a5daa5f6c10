"""Erasures and verifications from plan to certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hive_acid_erasure.certificate.certificate import Certificate
from hive_acid_erasure.certificate.certificate_files import refuse_same_files, write_certificate
from hive_acid_erasure.certificate.certifying import Case, build_payload
from hive_acid_erasure.certificate.signing import Signer
from hive_acid_erasure.erase.checking import changing_links, find_unknown_links
from hive_acid_erasure.erase.phases import Erasure
from hive_acid_erasure.find.finding import Finder
from hive_acid_erasure.find.ledger import open_ledger
from hive_acid_erasure.find.state import CERTIFIED, FoundTable
from hive_acid_erasure.find.trails import Trail
from hive_acid_erasure.find.world import TableResult, World
from hive_acid_erasure.plan.plan import TablePlan
from hive_acid_erasure.secrecy import work_masked
from hive_acid_erasure.verify.closing import close
from hive_acid_erasure.verify.locations import Locations
from hive_acid_erasure.verify.places import Place, PlaceKind
from hive_acid_erasure.verify.table_report import Former, TableReport
from hive_acid_erasure.verify.verdict import Verdict
from hive_acid_erasure.verify.verification import Verification


@dataclass(frozen=True, repr=False)
class Outcome:
    """The result of an erasure or search: its verdict, the payload, and the signed certificate if one was written."""

    verdict: Verdict
    payload: Mapping[str, Any]
    certificate: Certificate | None = None

    def __repr__(self) -> str:
        """The verdict, and one line for each place that is left, as many as fit on a screen."""
        state, places = self.verdict.state.value, self.verdict.places
        head = f"{state}: {len(self.payload.get('tables', ()))} tables" + (f", {len(places)} places" if places else "")
        more = [f"… and {len(places) - _ON_A_SCREEN} more"] if len(places) > _ON_A_SCREEN else []
        return "\n".join([head, *(f"  {place.where}: {place.detail}" for place in places[:_ON_A_SCREEN]), *more])


_ON_A_SCREEN = 20


def find_subjects(case: Case, world: World) -> tuple[FoundTable, ...]:
    """The dry run, which counts and changes nothing. An erasure later counts anew.

    Raises as `Erasure.find` does, each error without names of subjects.
    """

    def find() -> tuple[FoundTable, ...]:
        with TemporaryDirectory() as folder, open_ledger(Path(folder) / "ledger", case.key) as opened:
            return Erasure(case, world, opened).find()

    return work_masked(case.spotters.mask, find)


def erase_subjects(case: Case, world: World, ledger: Path, signer: Signer, certificate: Path) -> Outcome:
    """Erases, verifies and certifies; a run after one that was killed goes on from its ledger.

    Raises HIVE_ACID_ERASURE.SAME_FILE, as `Erasure.run` does, and OSError. No error, and no cause of one, has a name of
    a subject in its text: see `mask_error`.
    """
    refuse_same_files(certificate, ledger=ledger)
    return work_masked(case.spotters.mask, lambda: _erase(case, world, ledger, signer, certificate))


def _erase(case: Case, world: World, ledger: Path, signer: Signer, certificate: Path) -> Outcome:
    with open_ledger(ledger, case.key) as opened:
        erasure = Erasure(case, world, opened)
        results = erasure.run()
        payload, verdict = build_payload(case, world, results, erasure.state)
        world.tell("certify")
        written = write_certificate(payload, signer, certificate)
        opened.append(CERTIFIED, world.clock_ms(), verdict=verdict.state.value)
        return Outcome(verdict, payload, written)


def verify_subjects(case: Case, world: World, signer: Signer | None = None, certificate: Path | None = None) -> Outcome:
    """Searches the plan's tables, of whatever kind, and changes nothing.

    Raises HIVE_ACID_ERASURE with SAME_FILE, NO_SUCH_TABLE, PLAN_VIEW or PLAN_NAMES_SUBJECT, and what engine, metastore
    and storage raise, as `erase_subjects` does.
    """
    if certificate is not None:
        refuse_same_files(certificate)
    return work_masked(case.spotters.mask, lambda: _verify(case, world, signer, certificate))


def _verify(case: Case, world: World, signer: Signer | None, certificate: Path | None) -> Outcome:
    parts = world.engine, world.metastore, world.file_system, case.spotters, world.clock_ms
    verification = Verification(*parts, case.plan.search_limits)
    finder = Finder(world.engine, world.metastore, verification, case.subjects)
    finder.check(case.plan, erases=False)
    trails = [(table, finder.follow(table)) for table in case.plan.tables]
    found = [_find_to_search(table, trail, finder, world) for table, trail in trails]

    def search(table: TablePlan, result: TableResult) -> TableResult:
        world.tell(f"verify: {table.table}")
        former, earlier = (
            Former(result.found.identity, result.found.locations, result.found.hidden_locations),
            result.report,
        )
        report = verification.verify(result.found.matcher, former, earlier)
        return replace(result, report=replace(report, counted_ms=earlier.counted_ms))

    searched = list(map(search, case.plan.tables, found))
    closed = close(searched, verification, lambda at, result: search(case.plan.tables[at], result), world.clock_ms)
    pairs = zip(case.plan.tables, closed.results, closed.places, strict=True)
    results = [
        TableResult(
            _locate(result.found, verification),
            closed.stamp(result.report),
            (*result.report.places, *places, *_find_unknown(table, result.found, finder), *result.places),
        )
        for table, result, places in pairs
    ]
    payload, verdict = build_payload(case, world, results, None)
    if signer is None or certificate is None:
        return Outcome(verdict, payload)
    return Outcome(verdict, payload, write_certificate(payload, signer, certificate))


def _find_to_search(table: TablePlan, trail: Trail, finder: Finder, world: World) -> TableResult:
    """The table before its search: the visible rows of subjects, or that they could not be counted."""
    found, failure = finder.find_for_search(table, trail)
    places = [Place(PlaceKind.UNSEARCHED, str(table.table), failure)] if failure else []
    if found.count.matched:
        detail = f"{found.count.matched} visible rows belong to subjects"
        places.append(Place(PlaceKind.VISIBLE_ROWS, str(table.table), detail))
    counted_ms = None if failure else world.clock_ms()
    report = TableReport(found.matcher, "", (), (), counted_ms=counted_ms)
    return TableResult(found, report, tuple(places))


def _locate(found: FoundTable, verification: Verification) -> FoundTable:
    """The table with all folders in which it was seen to lie."""
    spotter = verification.spotters.of(found.matcher.keys)
    seen = Locations(verification.sights.seen(found.matcher.table)).mask(spotter, verification.spotters.key)
    return replace(found, locations=seen.shown, hidden_locations=seen.hidden)


def _find_unknown(table: TablePlan, found: FoundTable, finder: Finder) -> list[Place]:
    """Places for links by which the table was not searched."""
    trail = finder.follow(table, found.links, found.seen) if table.via else None
    later = found.with_reach(finder.look_behind(table, trail)) if trail else found
    places = find_unknown_links(table.table, later.reach, trail)
    return [*places, changing_links(table.table)] if trail is not None and trail.links != found.links else places
