"""`hive-acid verify`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hive_acid.api.command_line import DONE, add_metastore_option, add_spark_options, find_uris, parse_settings
from hive_acid_erasure.commands.erase import load_case, refuse_same_inputs, show_error
from hive_acid_erasure.commands.shared import ERASURE_FAILED, PENDING, SIGNER_NOT_CHECKED, WRONG_CALL, print_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hive_acid.api.command_line import Commands
    from hive_acid_erasure.certificate.certificate import Certificate
    from hive_acid_erasure.certificate.certifying import Case
    from hive_acid_erasure.verify.places import Place


def add_command(commands: Commands) -> None:
    """`hive-acid verify`."""
    verify = commands.add_parser(
        "verify",
        help="check the certificate of an erasure, or search tables for people; exit code 0: nothing found, 3: found, "
        "4: nothing found, but the signer was not checked, 1: error",
    )
    verify.add_argument("certificate", type=Path, nargs="?", metavar="CERTIFICATE", help="the certificate to check")
    verify.add_argument(
        "--public-key", type=Path, metavar="FILE", help="the key that must have signed it; --hash-key needs it"
    )
    verify.add_argument("--hash-key", type=Path, metavar="FILE", help="search the tables again; needs a metastore")
    verify.add_argument("--plan", type=Path, metavar="PLAN.toml", help="search these tables, without a certificate")
    whom = "with --plan: the people to search for; with a certificate: search texts for other spellings of them, too"
    verify.add_argument("--subjects", type=Path, metavar="FILE", help=whom)
    verify.add_argument("--signing-key", type=Path, metavar="FILE", help="with --plan: certify what was found")
    verify.add_argument("--output", type=Path, metavar="FILE", help="with --plan: where the certificate is written")
    add_metastore_option(verify)
    add_spark_options(verify)
    verify.set_defaults(run=run_verify, failed=ERASURE_FAILED)


def run_verify(chosen: argparse.Namespace) -> int:
    """Check a certificate or search tables; the exit code."""
    from hive_acid.api.conditions import HiveAcidError

    if (chosen.certificate is None) is (chosen.plan is None):
        print("hive-acid verify needs either a certificate or --plan", file=sys.stderr)
        return WRONG_CALL
    if chosen.plan and (chosen.subjects is None or chosen.hash_key is None):
        print("hive-acid verify --plan needs --subjects and --hash-key", file=sys.stderr)
        return WRONG_CALL
    if chosen.certificate and chosen.hash_key and chosen.public_key is None:
        print(
            "hive-acid verify CERTIFICATE --hash-key needs --public-key: it runs SQL of the certificate",
            file=sys.stderr,
        )
        return WRONG_CALL
    if chosen.certificate and chosen.subjects and chosen.hash_key is None:
        print("hive-acid verify CERTIFICATE --subjects needs --hash-key", file=sys.stderr)
        return WRONG_CALL
    if (chosen.signing_key is None) is not (chosen.output is None):
        print("--signing-key and --output go together", file=sys.stderr)
        return WRONG_CALL
    try:
        return _verify_plan(chosen) if chosen.plan else _verify_certificate(chosen)
    except HiveAcidError as error:
        return show_error(error)
    except OSError as error:
        print(error, file=sys.stderr)
        return ERASURE_FAILED


def _verify_certificate(chosen: argparse.Namespace) -> int:
    from hive_acid_erasure.certificate.certificate import read_certificate
    from hive_acid_erasure.certificate.signing import read_public_hex
    from hive_acid_erasure.certificate.summary import summarize

    public = read_public_hex(chosen.public_key) if chosen.public_key else None
    certificate = read_certificate(chosen.certificate.read_bytes(), chosen.certificate, public)
    payload = certificate.payload
    print_lines(*summarize(payload).lines())
    print_lines(f"erasure {payload['erasure']} of the plan {payload['plan'].get('digest', '')}")
    whose = "the given key" if public else "signer not checked: --public-key says whose key it must be"
    print(f"unchanged since it was signed by {certificate.public_hex}, {whose}")
    for place in payload["verdict"]["missing"]:
        print_lines(f"  {place['kind']}: {place['where']}: {place['detail']}")
    found = DONE if chosen.hash_key is None else _search_again(chosen, certificate)
    if not certificate.is_erased:
        print("the certificate itself is pending")  # what it could not tell a search by its hashes may not either
        return PENDING
    return SIGNER_NOT_CHECKED if public is None else found


def _search_again(chosen: argparse.Namespace, certificate: Certificate) -> int:
    from hive_acid.api.sessions import job_session
    from hive_acid_erasure.certificate.certifying import recheck
    from hive_acid_erasure.certificate.summary import describe_readers
    from hive_acid_erasure.commands.progress import told
    from hive_acid_erasure.spark.erasing import build_world
    from hive_acid_erasure.subjects.keyed_hash import HashKey
    from hive_acid_erasure.subjects.subjects import read_subjects
    from hive_acid_erasure.times import show_ms
    from hive_acid_erasure.verify.closing import find_moment

    key = HashKey.read(chosen.hash_key)
    people = read_subjects(chosen.subjects, certificate.subject_columns) if chosen.subjects else None
    with job_session(find_uris(chosen), chosen.master, parse_settings(chosen.conf)) as session, told() as tell:
        found = recheck(certificate, chosen.certificate, key, build_world(session, key, tell), people)
    files = sum(len(each.report.files) for each in found)
    moment_ms = find_moment([each.report for each in found])
    as_of = "no one moment: some never rested" if moment_ms is None else show_ms(moment_ms)
    readers = describe_readers([each.report.cross_check.describe() for each in found])
    print(f"searched again: {files} files of {len(found)} tables, as of {as_of}. {readers}".rstrip())
    if people is None:
        print("by hashes alone: other spellings of a name in properties and notes are found with --subjects only")
    written = [each.rewritten for each in found]
    unchanged, gone = sum(each.unchanged for each in written), sum(each.gone for each in written)
    changed = sum(len(each.changed) for each in written)
    print(f"files that the erasure wrote: {unchanged} unchanged, {changed} changed, {gone} not there any more")
    return _show([place for each in found for place in each.places])


def _verify_plan(chosen: argparse.Namespace) -> int:
    from pyspark.errors import PySparkException

    if chosen.output is not None:
        refuse_same_inputs(chosen, chosen.output)
    case = load_case("verification", chosen.plan, chosen.subjects, chosen.hash_key)
    try:
        return _verify_case(chosen, case)
    except PySparkException as error:
        return show_error(error, case)


def _verify_case(chosen: argparse.Namespace, case: Case) -> int:
    from hive_acid.api.sessions import job_session
    from hive_acid_erasure.certificate.signing import Signer
    from hive_acid_erasure.certificate.summary import summarize
    from hive_acid_erasure.commands.progress import told
    from hive_acid_erasure.run import verify_subjects
    from hive_acid_erasure.spark.erasing import build_world

    signer = Signer.read(chosen.signing_key) if chosen.signing_key else None
    with job_session(find_uris(chosen), chosen.master, parse_settings(chosen.conf)) as session, told() as tell:
        outcome = verify_subjects(case, build_world(session, case.key, tell), signer, chosen.output)
    print_lines(*summarize(outcome.payload).lines())
    return _show(outcome.verdict.places)


def _show(places: Sequence[Place]) -> int:
    for place in places:
        print_lines(f"  {place.kind.value}: {place.where}: {place.detail}")
    print("something is left" if places else "nothing found")
    return PENDING if places else DONE
