"""`hive_acid.erase` and `hive_acid.verify` in a Spark session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from hive_acid.api.clocks import pause_ms, wall_clock_ms
from hive_acid.api.extras import check_libraries, find_version
from hive_acid.api.sessions import attach
from hive_acid_erasure.certificate.certificate import read_certificate
from hive_acid_erasure.certificate.certificate_files import refuse_same_files
from hive_acid_erasure.certificate.certifying import Case, Recheck, recheck
from hive_acid_erasure.certificate.signing import Signer, read_public_hex
from hive_acid_erasure.find.world import World
from hive_acid_erasure.plan.plan import Plan
from hive_acid_erasure.plan.plan_parsing import build_plan
from hive_acid_erasure.run import Outcome, erase_subjects, verify_subjects
from hive_acid_erasure.spark.erasure_engine import SparkErasureEngine
from hive_acid_erasure.subjects.keyed_hash import HashKey
from hive_acid_erasure.subjects.subjects import Subjects, build_subjects


def build_world(
    spark: SparkSession, key: HashKey, tell: Callable[[str], None] = lambda _: None, cleaning_limit_s: int = 600
) -> World:
    """The session as an erasure works with it.

    Raises HIVE_ACID_CONFIGURATION.EXTRA_MISSING if there is no pyarrow, by which the second reader reads in the end.
    """
    check_libraries("erasure", "an erasure or a verification", "pyarrow")
    attachment = attach(spark)
    return World(
        SparkErasureEngine(spark, key.secret),
        attachment.metastore,
        attachment.file_system,
        wall_clock_ms,
        pause_ms,
        tell,
        cleaning_limit_s * 1000,
    )


def build_case(kind: str, plan: Plan, subjects: Subjects, key: HashKey) -> Case:
    """The case, with this release's version."""
    return Case(kind, plan, subjects, key, find_version())


def erase_in(
    spark: SparkSession,
    subjects: Iterable[object],
    plan: Mapping[str, Any],
    keys: tuple[bytes, Path],
    files: tuple[Path, Path],
) -> Outcome:
    """Erases. `keys` are the hash key and the file of the signing key, `files` those of the ledger and certificate."""
    refuse_same_files(files[1], ledger=files[0], signing_key=keys[1])
    key, built = HashKey(keys[0]), build_plan(plan)
    case = build_case("erasure", built, build_subjects(subjects, built.subject_columns), key)
    return erase_subjects(case, build_world(spark, key), files[0], Signer.read(keys[1]), files[1])


def verify_in(spark: SparkSession, subjects: Iterable[object], plan: Mapping[str, Any], hash_key: bytes) -> Outcome:
    """Searches the tables of a plan for subjects."""
    key, built = HashKey(hash_key), build_plan(plan)
    case = build_case("verification", built, build_subjects(subjects, built.subject_columns), key)
    return verify_subjects(case, build_world(spark, key))


def recheck_in(
    spark: SparkSession,
    certificate: Path,
    hash_key: bytes,
    public_key: Path | None,
    subjects: Iterable[object] | None = None,
) -> Sequence[Recheck]:
    """Searches the tables of a certificate again."""
    key, public_hex = HashKey(hash_key), None if public_key is None else read_public_hex(public_key)
    found = read_certificate(certificate.read_bytes(), certificate, public_hex)
    people = None if subjects is None else build_subjects(subjects, found.subject_columns)
    return recheck(found, certificate, key, build_world(spark, key), people)
