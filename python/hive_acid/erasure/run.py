"""Erasures and verifications from plan to certificate."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from hive_acid.erasure.certificate import Certificate
from hive_acid.erasure.certifying import Case, build_payload, write_certificate
from hive_acid.erasure.checking import changing_links, find_unknown_links
from hive_acid.erasure.finding import Finder
from hive_acid.erasure.ledger import open_ledger
from hive_acid.erasure.phases import Erasure
from hive_acid.erasure.places import Place, PlaceKind
from hive_acid.erasure.signing import Signer
from hive_acid.erasure.state import CERTIFIED, FoundTable
from hive_acid.erasure.verdict import Verdict
from hive_acid.erasure.verification import Former, Verification
from hive_acid.erasure.world import TableResult, World


@dataclass(frozen=True)
class Outcome:
    """The verdict, and the certificate that says so if one was made."""

    verdict: Verdict
    certificate: Certificate | None = None


def find_subjects(case: Case, world: World) -> tuple[FoundTable, ...]:
    """The dry run, which counts and changes nothing. An erasure later counts anew. Raises as `Erasure.find` does."""
    with TemporaryDirectory() as folder, open_ledger(Path(folder) / "ledger") as opened:
        return Erasure(case.plan, case.subjects, case.key, world, opened).find()


def erase_subjects(case: Case, world: World, ledger: Path, signer: Signer, certificate: Path) -> Outcome:
    """Erases, verifies and certifies; a run after one that was killed goes on from its ledger.

    Raises as `Erasure.run` does, and OSError.
    """
    with open_ledger(ledger) as opened:
        erasure = Erasure(case.plan, case.subjects, case.key, world, opened)
        results = erasure.run()
        payload, verdict = build_payload(case, world, results, erasure.state)
        world.tell("certify")
        written = write_certificate(payload, signer, certificate)
        opened.append(CERTIFIED, world.clock_ms(), verdict=verdict.state.value)
        return Outcome(verdict, written)


def verify_subjects(case: Case, world: World, signer: Signer | None = None, certificate: Path | None = None) -> Outcome:
    """Searches the plan's tables, of whatever kind, and changes nothing.

    Raises HIVE_ACID_ERASURE with NO_SUCH_TABLE or PLAN_NAMES_SUBJECT, and what engine, metastore and storage raise.
    """
    verification = Verification(world.engine, world.metastore, world.file_system, case.subjects.spotters(case.key))
    finder = Finder(world.engine, world.metastore, verification, case.key, case.subjects)
    finder.check(case.plan, erases=False)
    results = []
    for table, (found, failure) in [(table, finder.find_for_search(table)) for table in case.plan.tables]:
        world.tell(f"verify: {table.table}")
        report = verification.verify(found.matcher, Former(found.identity, found.locations))
        trail = finder.follow(table, found.links) if table.via else None
        places = [*report.places, *find_unknown_links(table.table, found.reach, trail)]
        if trail is not None and trail.links != found.links:
            places.append(changing_links(table.table))
        if failure:
            places.append(Place(PlaceKind.UNSEARCHED, str(table.table), failure))
        if found.count.matched:
            detail = f"{found.count.matched} visible rows are of subjects"
            places.append(Place(PlaceKind.VISIBLE_ROWS, str(table.table), detail))
        results.append(TableResult(found, report, tuple(places)))
    payload, verdict = build_payload(case, world, results, None)
    if signer is None or certificate is None:
        return Outcome(verdict)
    return Outcome(verdict, write_certificate(payload, signer, certificate))
