"""A process that answers in the place of a dead one ends what that has left open, and nothing else."""

from __future__ import annotations

from hive_acid.metastore.memory import MemoryMetastore
from hive_acid.metastore.types import TransactionState
from hive_acid.transactions.left_behind import abort_left_behind
from hive_acid.transactions.locks import Identity

OWN = Identity("user", "host", "spark-hive-acid app-1")


class Forgetful(MemoryMetastore):
    """Refuses to abort one transaction, as if it had been committed meanwhile."""

    committed: int | None = None

    def abort(self, txn_id: int) -> None:
        if txn_id == self.committed:
            self.commit(txn_id)
        super().abort(txn_id)


def test_only_open_transactions_of_the_same_identity_are_aborted() -> None:
    metastore = MemoryMetastore()
    left = [metastore.open_transaction(OWN.user, OWN.host, OWN.agent) for _ in range(2)]
    done = metastore.open_transaction(OWN.user, OWN.host, OWN.agent)
    metastore.commit(done)
    others = [
        metastore.open_transaction("other", OWN.host, OWN.agent),
        metastore.open_transaction(OWN.user, "other", OWN.agent),
        metastore.open_transaction(OWN.user, OWN.host, f"{OWN.agent}0"),
    ]
    assert abort_left_behind(metastore, OWN) == tuple(left)
    assert {metastore.transaction_state(txn_id) for txn_id in left} == {TransactionState.ABORTED}
    assert {metastore.transaction_state(txn_id) for txn_id in others} == {TransactionState.OPEN}
    assert abort_left_behind(metastore, OWN) == ()


def test_a_transaction_that_has_ended_meanwhile_is_nobodys_concern() -> None:
    metastore = Forgetful()
    first, second = (metastore.open_transaction(OWN.user, OWN.host, OWN.agent) for _ in range(2))
    metastore.committed = first
    assert abort_left_behind(metastore, OWN) == (second,)
