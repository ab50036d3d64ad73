"""A throwaway PostgreSQL on a loopback port."""

import glob
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile


def program(name):
    found = shutil.which(name)
    return found or next(iter(sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), reverse=True)), None)


def unprivileged():
    """PostgreSQL refuses to run as root."""
    if os.getuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            user = pwd.getpwnam(name)
            return {"user": user.pw_uid, "group": user.pw_gid}
        except KeyError:
            continue
    return None


class Cluster:
    def __init__(self):
        self.user = unprivileged()
        if not program("initdb") or not program("postgres") or self.user is None:
            print("SKIPPED: there is no PostgreSQL; the service will be killed on SQLite alone", file=sys.stderr)
            raise SystemExit(0)
        self.folder = tempfile.mkdtemp(prefix="lendwright-deaths-")
        os.chmod(self.folder, 0o755)
        self.data = os.path.join(self.folder, "data")
        if self.user:
            os.chown(self.folder, self.user["user"], self.user["group"])
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **self.user}
        make = [program("initdb"), "-D", self.data, "-U", "lender", "--auth=trust", "-E", "UTF8", "--no-instructions"]
        subprocess.run(make, check=True, cwd=self.folder, **quiet)
        serve = [program("postgres"), "-D", self.data, "-p", str(self.port), "-k", self.folder, "-h", "127.0.0.1"]
        self.server = subprocess.Popen(serve, cwd=self.folder, **quiet)
        for _ in range(200):
            try:
                self.query("SELECT 1", "postgres")
                break
            except subprocess.CalledProcessError:
                if self.server.poll() is not None:
                    raise SystemExit("PostgreSQL does not start") from None
        self.query("CREATE DATABASE lender", "postgres")

    @property
    def url(self):
        return f"postgresql://lender@127.0.0.1:{self.port}/lender"

    def query(self, sql, database="lender"):
        command = [program("psql") or "psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "lender", "-d", database]
        command += ["-At", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-c", sql]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return [line.split("\t") for line in out.splitlines()]

    def stop(self):
        self.server.terminate()
        try:
            self.server.wait(20)
        except subprocess.TimeoutExpired:
            self.server.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


if __name__ == "__main__":
    # For other programs: prints its URL, and stops when its input ends.
    cluster = Cluster()
    try:
        print(cluster.url, flush=True)
        sys.stdin.read()
    finally:
        cluster.stop()
