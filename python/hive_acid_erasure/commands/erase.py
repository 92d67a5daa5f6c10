"""`hive-acid erase`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hive_acid.api.command_line import (
    DONE,
    add_metastore_option,
    add_spark_options,
    find_uris,
    parse_count,
    parse_settings,
)
from hive_acid_erasure.commands.shared import ERASURE_FAILED, PENDING, WRONG_CALL, print_lines

if TYPE_CHECKING:
    from pyspark.errors import PySparkException

    from hive_acid.api.command_line import Commands
    from hive_acid_erasure.certificate.certifying import Case

_PLAN_ERRORS = ("PLAN_", "SUBJECTS_", "SUBJECT_", "HASH_KEY", "SIGNING_KEY", "NOT_UNICODE", "SAME_FILE")
"""Sub-conditions that tell of the call, not of the tables."""


def add_command(commands: Commands) -> None:
    """`hive-acid erase`."""
    erase = commands.add_parser(
        "erase",
        help="erase people from tables, verify it in all files, and certify it; "
        "exit code 0: erased, 3: pending, 1: error",
    )
    erase.add_argument(
        "plan", type=Path, nargs="?", metavar="PLAN.toml", help="the tables, and the keys that find people"
    )
    erase.add_argument(
        "--new-keys", type=Path, metavar="DIR", help="create a hash key and a signing key there, and exit"
    )
    erase.add_argument(
        "--subjects", type=Path, metavar="FILE", help="the people: CSV with a header, or one value per line"
    )
    erase.add_argument("--hash-key", type=Path, metavar="FILE", help="the secret of the keyed hashes")
    erase.add_argument("--signing-key", type=Path, metavar="FILE", help="the Ed25519 key that signs the certificate")
    erase.add_argument("--ledger", type=Path, metavar="FILE", help="the ledger; default: the plan's name with .ledger")
    erase.add_argument(
        "--certificate", type=Path, metavar="FILE", help="the certificate; default: the plan's name with .json"
    )
    erase.add_argument(
        "--cleaning-limit-s",
        type=parse_count,
        default=600,
        metavar="N",
        help="longest wait for the Cleaner in seconds (default: %(default)s)",
    )
    erase.add_argument("--dry-run", action="store_true", help="count the rows, and delete nothing")
    add_metastore_option(erase)
    add_spark_options(erase)
    erase.set_defaults(run=run_erase, failed=ERASURE_FAILED)


def run_erase(chosen: argparse.Namespace) -> int:
    """Make keys, count, or erase; the exit code."""
    from hive_acid.api.conditions import HiveAcidError

    try:
        return _make_keys(chosen.new_keys) if chosen.new_keys else _erase(chosen)
    except HiveAcidError as error:
        return show_error(error)
    except OSError as error:
        print(error, file=sys.stderr)
        return ERASURE_FAILED


def find_exit_code(condition: str) -> int:
    """2 for an error of the plan, the subjects or the keys, else 1."""
    main, _, sub = condition.partition(".")
    is_call = main == "HIVE_ACID_CONFIGURATION" or (main == "HIVE_ACID_ERASURE" and sub.startswith(_PLAN_ERRORS))
    return WRONG_CALL if is_call else ERASURE_FAILED


def show_error(error: PySparkException, case: Case | None = None) -> int:
    """Print it, without the names of the case's subjects; the exit code."""
    from hive_acid.api.conditions import condition_of

    text = str(error)
    print(text if case is None else case.subjects.spotters(case.key).of(()).mask(text), file=sys.stderr)
    return find_exit_code(condition_of(error) or "")


def _make_keys(folder: Path) -> int:
    from hive_acid_erasure.certificate.signing import make_keys

    for path in make_keys(folder):
        print(path)
    return DONE


def _erase(chosen: argparse.Namespace) -> int:
    needed = {"PLAN.toml": chosen.plan, "--subjects": chosen.subjects, "--hash-key": chosen.hash_key}
    if not chosen.dry_run:
        needed["--signing-key"] = chosen.signing_key
    missing = [name for name, value in needed.items() if value is None]
    if missing:
        print(f"hive-acid erase needs {', '.join(missing)}", file=sys.stderr)
        return WRONG_CALL
    from pyspark.errors import PySparkException

    if not chosen.dry_run:
        ledger, certificate = find_outputs(chosen)
        refuse_same_inputs(chosen, certificate, ledger)
    case = load_case("erasure", chosen.plan, chosen.subjects, chosen.hash_key)
    try:
        return _erase_case(chosen, case)
    except PySparkException as error:
        return show_error(error, case)


def _erase_case(chosen: argparse.Namespace, case: Case) -> int:
    from hive_acid.api.sessions import job_session
    from hive_acid_erasure.certificate.signing import Signer
    from hive_acid_erasure.certificate.summary import summarize
    from hive_acid_erasure.commands.progress import told
    from hive_acid_erasure.run import erase_subjects, find_subjects
    from hive_acid_erasure.spark.erasing import build_world

    signer = None if chosen.dry_run else Signer.read(chosen.signing_key)
    ledger, certificate = find_outputs(chosen)
    with job_session(find_uris(chosen), chosen.master, parse_settings(chosen.conf)) as session, told() as tell:
        world = build_world(session, case.key, tell, chosen.cleaning_limit_s)
        if signer is None:
            for found in find_subjects(case, world):
                count = found.count
                print(f"{found.matcher.table}: {count.matched} of {count.total} rows belong to subjects")
            return DONE
        outcome = erase_subjects(case, world, ledger, signer, certificate)
    print_lines(*summarize(outcome.payload).lines())
    print(f"{outcome.verdict.state.value}: {certificate}")
    for place in outcome.verdict.places:
        print_lines(f"  {place.kind.value}: {place.where}: {place.detail}")
    return PENDING if outcome.verdict.places else DONE


def find_outputs(chosen: argparse.Namespace) -> tuple[Path, Path]:
    """The files of the ledger and the certificate."""
    return chosen.ledger or chosen.plan.with_suffix(".ledger"), chosen.certificate or chosen.plan.with_suffix(".json")


def refuse_same_inputs(chosen: argparse.Namespace, certificate: Path, ledger: Path | None = None) -> None:
    """Raises HIVE_ACID_ERASURE.SAME_FILE if a file of the call would be replaced."""
    from hive_acid_erasure.certificate.certificate_files import refuse_same_files

    inputs = {name: getattr(chosen, name) for name in ("plan", "subjects", "hash_key", "signing_key")}
    refuse_same_files(certificate, ledger=ledger, **inputs)


def load_case(kind: str, plan: Path, subjects: Path, hash_key: Path) -> Case:
    """The plan, the subjects and the hash key of their files."""
    from hive_acid.api.extras import find_version
    from hive_acid_erasure.certificate.certifying import Case
    from hive_acid_erasure.plan.plan_parsing import read_plan
    from hive_acid_erasure.subjects.keyed_hash import HashKey
    from hive_acid_erasure.subjects.subjects import read_subjects

    built = read_plan(plan)
    return Case(kind, built, read_subjects(subjects, built.subject_columns), HashKey.read(hash_key), find_version())
