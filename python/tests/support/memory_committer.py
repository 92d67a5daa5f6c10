"""A committer in memory, as Hadoop's for S3: attempts write uploads, which nobody sees until they are completed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hive_acid.wire.storage import PendingUpload


@dataclass
class MemoryJob:
    """The uploads of each attempt by root, and the attempts that were chosen."""

    attempts: dict[tuple[str, str], list[PendingUpload]] = field(default_factory=dict)
    chosen: set[tuple[str, str]] = field(default_factory=set)


class MemoryCommitter(ABC):
    """The part of a file system in memory that drives jobs; `lengths` are those of the pending uploads."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.jobs: dict[str, MemoryJob] = {}
        self.lengths: dict[PendingUpload, int] = {}

    def upload(self, job: str, root: str, attempt: str, path: str, length_bytes: int = 100) -> PendingUpload:
        """An attempt has written a file and closed it."""
        upload = PendingUpload(path, f"upload-{len(self.calls)}-{len(self.lengths)}-{attempt}")
        self.jobs.setdefault(job, MemoryJob()).attempts.setdefault((root, attempt), []).append(upload)
        self.lengths[upload] = length_bytes
        return upload

    @abstractmethod
    def add_file(self, path: str, length_bytes: int = 100, modified_ms: int = 1, text: str | None = None) -> None:
        """A file is seen from now on."""

    def set_up_output(self, job: str, roots: Sequence[str]) -> None:
        self.calls.append("set_up_output")
        self.jobs[job] = MemoryJob()

    def output_attempts(self, job: str, roots: Sequence[str]) -> Mapping[str, Sequence[str]]:
        self.calls.append("output_attempts")
        known = self._job(job).attempts
        return {root: [attempt for at, attempt in known if at == root] for root in roots}

    def abort_attempts(self, job: str, attempts: Mapping[str, Sequence[str]]) -> None:
        self.calls.append("abort_attempts")
        for root, names in attempts.items():
            for name in names:
                self._abort(self._job(job).attempts.pop((root, name), []))

    def commit_attempts(self, job: str, attempts: Mapping[str, Sequence[str]]) -> None:
        self.calls.append("commit_attempts")
        self._job(job).chosen |= {(root, name) for root, names in attempts.items() for name in names}

    def commit_output(self, job: str, roots: Sequence[str]) -> None:
        self.calls.append("commit_output")
        known = self._job(job)
        for key in sorted(known.chosen):
            for upload in known.attempts.get(key, []):
                self.add_file(upload.path, self.lengths.pop(upload))
        del self.jobs[job]

    def abort_output(self, job: str, roots: Sequence[str]) -> None:
        self.calls.append("abort_output")
        for uploads in self.jobs.pop(job, MemoryJob()).attempts.values():
            self._abort(uploads)

    def pending_uploads(self, roots: Sequence[str]) -> list[PendingUpload]:
        self.calls.append("pending_uploads")
        return [upload for upload in self.lengths if any(upload.path.startswith(f"{root}/") for root in roots)]

    def abort_uploads(self, uploads: Sequence[PendingUpload]) -> None:
        self.calls.append("abort_uploads")
        self._abort(uploads)

    def _abort(self, uploads: Sequence[PendingUpload]) -> None:
        for upload in uploads:
            self.lengths.pop(upload, None)

    def _job(self, job: str) -> MemoryJob:
        return self.jobs.setdefault(job, MemoryJob())
