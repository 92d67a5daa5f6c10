"""Files put in place by a committer of Hadoop's, for object stores, where a rename copies file by file."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.model.names import OUTPUT_JOB_PREFIX, FolderName
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.wire.write_spec import OutputJob, WriteResult
from hive_acid.writing.conflicts import Conflict
from hive_acid.writing.publishing.output_rules import (
    OutputPlan,
    find_difference,
    find_losers,
    find_own_uploads,
    find_place,
    find_roots,
    plan_output,
)
from hive_acid.writing.publishing.publication import Markers, Owner, Publication

LOG = logging.getLogger(__name__)


class CommittedPublication(Publication):
    """Tasks write as if to the final paths; the driver alone has the files appear there, before the commit.

    `is_own` tells the folders of this writer by their names. `uses_staging`: the job may have filled that folder.
    """

    def __init__(
        self,
        file_system: FileSystem,
        location: str,
        markers: Markers,
        is_own: Callable[[FolderName], bool],
        *,
        uses_staging: bool = False,
    ) -> None:
        super().__init__(file_system, location, markers)
        self._is_own = is_own
        self._uses_staging = uses_staging
        self._job = OutputJob(f"{OUTPUT_JOB_PREFIX}{self._id}", self._location)
        self._folders: list[str] = []
        self._has_begun = False

    def begin(self, find_elsewhere: Callable[[], Mapping[str, str]]) -> OutputJob:
        elsewhere = {name: location.rstrip("/") for name, location in find_elsewhere().items()}
        self._job = OutputJob(self._job.id, self._job.root, elsewhere)
        self._has_begun = True
        self._file_system.set_up_output(self._job.id, find_roots(self._job))
        return self._job

    def publish(self, owner: Owner, result: WriteResult, locations: Mapping[str, str], note: str | None = None) -> None:
        self._refuse_moved(owner, result, locations)
        plan = plan_output(self._job, result.folders)
        self._refuse_existing(plan)
        self._folders += plan.folders
        for folder, name, content in self._markers.build(result, note):
            self._file_system.write_text(f"{self._place(folder, locations)}/{name}", content)
        owner.confirm()
        self._commit(owner, plan)
        self._compare(plan)
        self._give_up_uploads()

    def _commit(self, owner: Owner, plan: OutputPlan) -> None:
        """Only attempts whose results the engine has handed over count: a later one would win over them."""
        files, job, roots = self._file_system, self._job.id, find_roots(self._job)
        files.abort_attempts(job, find_losers(files.output_attempts(job, roots), plan.attempts))
        files.commit_attempts(job, plan.attempts)
        owner.confirm()
        files.commit_output(job, sorted(plan.attempts))
        if unused := [root for root in roots if root not in plan.attempts]:
            files.abort_output(job, unused)
        self._end()

    def _refuse_moved(self, owner: Owner, result: WriteResult, locations: Mapping[str, str]) -> None:
        for name in result.partitions:
            if find_place(self._job, name) != locations[name].rstrip("/"):
                raise Conflict(owner.txn_id, "HIVE_ACID_WRITE_CONFLICT.PARTITION_GONE", partition=name)

    def _refuse_existing(self, plan: OutputPlan) -> None:
        for listing in self._file_system.list_trees(list(plan.folders)):
            if listing.files:
                action, reason = "putting files in place", "the folder exists"
                raise build_error("HIVE_ACID_STORAGE", path=listing.root, action=action, reason=reason)

    def _compare(self, plan: OutputPlan) -> None:
        difference = find_difference(plan, self._file_system.list_trees(list(plan.folders)))
        if difference is not None:
            reason = f"{difference}, as its writer has reported"
            raise build_error("HIVE_ACID_STORAGE", path=self._location, action="putting files in place", reason=reason)

    def _give_up_uploads(self) -> None:
        """Uploads of attempts that did not count, or have not ended yet. They cost space and nothing else."""
        roots = find_roots(self._job)
        try:
            uploads = self._file_system.pending_uploads(roots)
            self._file_system.abort_uploads(find_own_uploads(uploads, roots, self._is_own))
        except HiveAcidError as error:
            LOG.warning("uploads that nobody completes may be left below %s: %s", self._location, error)

    def remove_staging(self) -> None:
        if self._has_begun:
            self._file_system.abort_output(self._job.id, find_roots(self._job))
            self._give_up_uploads()
            self._end()

    def _end(self) -> None:
        self._has_begun = False
        if self._uses_staging:
            self._file_system.delete_tree(self.staging)

    def undo(self, error: BaseException) -> None:
        for folder in self._folders:
            self._remove(error, folder, partial(self._file_system.delete_tree, folder))
        self._remove(error, f"output of {self._job.id}", self.remove_staging)
