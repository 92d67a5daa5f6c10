"""Hive ACID DML for Spark SQL. Importing this package starts nothing; begin with `configure`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

    from hive_acid.execution.dry_run_report import DryRun
    from hive_acid.user.acid_table import AcidTable
    from hive_acid.user.transaction import AcidTransaction
    from hive_acid_erasure.certificate.certifying import Recheck
    from hive_acid_erasure.run import Outcome

T = TypeVar("T")

__version__ = "0.1.0"
__all__ = [
    "AcidTable",
    "__version__",
    "configure",
    "dry_run",
    "erase",
    "run_in_transaction",
    "transaction",
    "verify",
    "verify_certificate",
]

_ERASING = "hive_acid_erasure.spark.erasing"


def configure(builder: SparkSession.Builder, metastore: str | None = None) -> SparkSession.Builder:
    """A builder for Spark sessions that read and change Hive transactional tables.

    `metastore` is `thrift://host:port`. Without it, the sessions use the metastore in the builder's own settings or in
    hive-site.xml. If neither names one, an embedded metastore is started, which ends with this process.
    """
    from hive_acid.user.remote import refuse_remote_builder

    refuse_remote_builder(builder)
    from hive_acid.session.builder import configure as configure_session

    return configure_session(builder, metastore)


def dry_run(spark: SparkSession, statement: str, args: Mapping[str, Any] | Sequence[Any] | None = None) -> DryRun:
    """Counts what the SQL statement would do if `spark` ran it now, and changes nothing.

    `args` are the parameters of the statement, as for `spark.sql`. It is an INSERT, INSERT OVERWRITE, UPDATE, DELETE,
    MERGE or TRUNCATE TABLE of a transactional table. Raises what the statement itself would raise, and
    HIVE_ACID_DRY_RUN for any other statement.
    """
    from hive_acid.user.explain import explain_statement

    return explain_statement(spark, statement, args)


def transaction(spark: SparkSession) -> AcidTransaction:
    """Makes one transaction of all statements that `spark` runs in the block `with hive_acid.transaction(spark):`."""
    _refuse_remote(spark, "transaction")
    from hive_acid.user.transaction import AcidTransaction

    return AcidTransaction(spark)


def run_in_transaction(spark: SparkSession, function: Callable[[], T], attempts: int = 5) -> T:
    """Calls `function`, commits all statements that `spark` ran in it as one transaction, and returns its result.

    If there is a conflict with another writer (SQLSTATE 40001, such as HIVE_ACID_WRITE_CONFLICT and
    HIVE_ACID_TABLE_CHANGED), everything is rolled back and `function` is called again, at most `attempts` times in all.
    Then the last of these errors is raised. So `function` must be safe to call several times. After any other error,
    including one of `function` itself, everything is rolled back and the error is raised at once. Raises
    HIVE_ACID_TRANSACTION_STATE if the session is already in a transaction.
    """
    _refuse_remote(spark, "run_in_transaction")
    from hive_acid.user.transaction import run_until_committed

    return run_until_committed(spark, function, attempts)


def erase(
    spark: SparkSession,
    *,
    subjects: Iterable[object],
    tables: Mapping[str, Any],
    columns: Sequence[str],
    hash_key: bytes,
    signing_key: Path,
    ledger: Path,
    certificate: Path,
    **limits: Any,
) -> Outcome:
    """Erases subjects from tables, verifies it in all files, and writes a signed certificate and its page.

    `subjects` are the people: a text for each, or a tuple or mapping of texts if there are several `columns`. `tables`
    and `limits` (`guard`, `deadline`, `one_transaction`, `second_reader`, `former_columns`) have the form of the plan's
    TOML. `signing_key`, `ledger` and `certificate` are files. If a run ended early, call this again: it continues from
    the `ledger`. Raises HIVE_ACID_ERASURE, and what statements raise.
    """
    _refuse_remote(spark, "erase")
    from hive_acid.wings import load_wing

    erasing = load_wing(_ERASING, "hive_acid.erase")
    plan = {"subjects": columns, "tables": tables, **limits}
    outcome: Outcome = erasing.erase_in(spark, subjects, plan, (hash_key, signing_key), (ledger, certificate))
    return outcome


def verify(
    spark: SparkSession,
    *,
    subjects: Iterable[object],
    tables: Mapping[str, Any],
    columns: Sequence[str],
    hash_key: bytes,
    second_reader: Mapping[str, int] | None = None,
    former_columns: bool = True,
) -> Outcome:
    """Searches every file of tables of any kind for subjects, and changes nothing. The arguments are as for `erase`."""
    _refuse_remote(spark, "verify")
    from hive_acid.wings import load_wing

    erasing = load_wing(_ERASING, "hive_acid.verify")
    limits = {"second_reader": second_reader or {}, "former_columns": former_columns}
    plan = {"subjects": columns, "tables": tables, **limits}
    outcome: Outcome = erasing.verify_in(spark, subjects, plan, hash_key)
    return outcome


def verify_certificate(
    spark: SparkSession,
    certificate: Path,
    hash_key: bytes,
    public_key: Path | None = None,
    subjects: Iterable[object] | None = None,
) -> Sequence[Recheck]:
    """Checks the signature of a certificate, and searches its tables again for its subjects.

    `public_key` is the file of the key that must have signed the certificate. It is needed because `spark` runs SQL
    expressions from the certificate. `subjects` are those of the erasure: with them, texts are searched for every
    spelling, as in the erasure. Without them, only hashes are known. Raises HIVE_ACID_ERASURE; without `public_key` it
    raises CERTIFICATE_UNKNOWN_SIGNER before anything is run.
    """
    _refuse_remote(spark, "verify_certificate")
    from hive_acid.wings import load_wing

    erasing = load_wing(_ERASING, "hive_acid.verify_certificate")
    found: Sequence[Recheck] = erasing.recheck_in(spark, certificate, hash_key, public_key, subjects)
    return found


def _refuse_remote(spark: SparkSession, function: str) -> None:
    """Before anything is imported that a client of Spark Connect does not have."""
    from hive_acid.user.remote import refuse_remote

    refuse_remote(spark, function)


def __getattr__(name: str) -> Any:
    """`AcidTable`, which imports PySpark when it is first used."""
    if name == "AcidTable":
        from hive_acid.user.acid_table import AcidTable

        return AcidTable
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
