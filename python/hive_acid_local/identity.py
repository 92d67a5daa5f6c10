"""As whom PostgreSQL runs, and until when: it refuses to run as root, and must not outlive what started it.

Run as a program, `python -m hive_acid_local.identity FOLDER COMMAND…` becomes COMMAND, as a user that PostgreSQL
accepts and that may work in FOLDER, and dies with its caller.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import pwd
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1
_PR_SET_KEEPCAPS = 8
_PR_SET_SECUREBITS, _SECBIT_NO_SETUID_FIXUP = 28, 1 << 2
_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE = 47, 2
_CAP_DAC_OVERRIDE = 1
_CLONE_NEWUSER = 0x10000000
_CAPABILITY_VERSION_3 = 0x20080522


def nobody_ids() -> tuple[int, int]:
    """User and group ID of nobody."""
    entry = pwd.getpwnam("nobody")
    return entry.pw_uid, entry.pw_gid


def postgresql_identity(program: str, data: str) -> str:
    """How PostgreSQL, which refuses to run as root, is to work in the folder `data`: "self", "namespace" or "nobody".

    namespace: a user namespace in which we seem to be nobody; files stay root's. nobody: a change of user that keeps
    the right to pass every folder; where namespaces are forbidden, as in most containers. HIVE_ACID_ROOT_AS
    chooses between the two. Raises PermissionError where neither is allowed.
    """
    if os.geteuid() != 0:
        return "self"
    chosen = os.environ.get("HIVE_ACID_ROOT_AS")
    if chosen in ("namespace", "nobody"):
        return chosen

    def can_use_namespace() -> bool:
        enter_namespace()
        return os.access(program, os.R_OK | os.X_OK) and os.access(data, os.W_OK | os.X_OK)

    def can_become_nobody() -> bool:
        become_nobody()
        return True

    if _holds_in_child(can_use_namespace):
        return "namespace"
    if _holds_in_child(can_become_nobody):
        return "nobody"
    raise PermissionError(
        "PostgreSQL refuses to run as root, and here root may neither make a user namespace nor become nobody; "
        "run as a normal user, or choose database='derby'"
    )


def _holds_in_child(question: Callable[[], bool]) -> bool:
    """The answer to a question that changes the process that asks; False if it fails."""
    child = os.fork()
    if child == 0:
        code = 1
        with contextlib.suppress(BaseException):
            code = 0 if question() else 1
        os._exit(code)
    return os.waitpid(child, 0)[1] == 0


def enter_namespace() -> None:
    """Enter a new user namespace in which this root process has nobody's user and group ID."""
    if not sys.platform.startswith("linux"):
        raise OSError("user namespaces are Linux's")
    _check(_libc().unshare(_CLONE_NEWUSER))
    user, group = nobody_ids()
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} 0 1")
    Path("/proc/self/gid_map").write_text(f"{group} 0 1")


def become_nobody() -> None:
    """Change to nobody, keeping CAP_DAC_OVERRIDE where there is one, so that folders only root may enter serve too."""
    user, group = nobody_ids()
    linux = sys.platform.startswith("linux")
    if linux:
        _check(_libc().prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0))
        # Without this bit access(2), by which PostgreSQL looks at its own binaries, ignores capabilities. Not being
        # allowed to set it, or to keep the capability below, only means that every parent folder must be open to all.
        _libc().prctl(_PR_SET_SECUREBITS, _SECBIT_NO_SETUID_FIXUP, 0, 0, 0)
    os.setgroups([])
    os.setgid(group)
    os.setuid(user)
    if linux:
        if _set_capabilities(1 << _CAP_DAC_OVERRIDE):
            _libc().prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, _CAP_DAC_OVERRIDE, 0, 0)
        elif not _set_capabilities(0):
            raise OSError("cannot give up root's capabilities")


def _set_capabilities(mask: int) -> bool:
    """Have these capabilities and no others; whether that was allowed."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    effective_permitted_inheritable_low_then_high = (ctypes.c_uint32 * 6)(mask, mask, mask, 0, 0, 0)
    done: bool = _libc().capset(header, effective_permitted_inheritable_low_then_high) == 0
    return done


def own_database(folder: str, identity: str) -> None:
    """Give the database's files to the user that `identity` makes of root; nothing to do for a normal user."""
    if identity == "self":
        return
    user, group = nobody_ids() if identity == "nobody" else (0, 0)
    if Path(folder).stat().st_uid == user:
        return
    for place, _, names in os.walk(folder):
        for path in (Path(place), *(Path(place) / name for name in names)):
            os.chown(path, user, group, follow_symlinks=False)


def in_child(identity: str, death_signal: int) -> Callable[[], None]:
    """The steps of a child before it becomes the program: take the identity, ask to be signalled when we are gone."""
    parent = os.getpid()

    def prepare() -> None:
        try:
            take_identity(identity)
            die_with_parent(parent, death_signal)
        except OSError as error:  # Popen would lose the reason; this goes to the program's log
            os.write(2, f"cannot become {identity}: {error}\n".encode())
            os._exit(1)

    return prepare


def take_identity(identity: str) -> None:
    """Become what `postgresql_identity` chose, for the rest of this process's life."""
    if identity == "namespace":
        enter_namespace()
    elif identity == "nobody":
        become_nobody()


def die_with_parent(parent: int, death_signal: int) -> None:
    """Have the kernel send `death_signal` to this process when `parent` ends (Linux; elsewhere nothing)."""
    if sys.platform.startswith("linux"):
        _check(_libc().prctl(_PR_SET_PDEATHSIG, death_signal, 0, 0, 0))
        if os.getppid() != parent:
            os._exit(1)


def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def _check(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def become(folder: str, command: list[str]) -> None:
    """Become `command`, as a user that PostgreSQL accepts, working in `folder`; die with the caller."""
    parent = os.getppid()
    try:
        identity = postgresql_identity(command[0], folder)
        own_database(folder, identity)
        take_identity(identity)
        die_with_parent(parent, signal.SIGINT)
        os.execv(command[0], command)
    except OSError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    become(sys.argv[1], sys.argv[2:])
