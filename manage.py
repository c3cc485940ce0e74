#!/usr/bin/env python3
"""Every command of Statehouse: `python3 manage.py up` first, `python3 manage.py help` for the rest.

A fresh machine has a Python with pip and venv, and nothing else. So the first part of this file imports the standard
library alone: it makes `.venv` from the lock whose hashes were recorded, then runs this file again inside it. The
second part is Django's own. Inside that `.venv`, and in the product's image, the first part does nothing.

What was installed is written to `.venv/installed`, a lock's digest a line; a start that finds its lock there goes
straight on. An install that was cut off leaves `.venv/unfinished`, and the next start begins from an empty folder.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

OLDEST_PYTHON = (3, 11)
HERE = Path(__file__).resolve().parent
VENV = HERE / ".venv"
PYTHON = VENV / "bin" / "python"
INSTALLED = VENV / "installed"
UNFINISHED = VENV / "unfinished"
RUN_TIME_LOCK = HERE / "requirements.lock"
# It contains the run-time lock, so whoever has it needs no second install.
TEST_LOCK = HERE / "requirements-test.lock"


def main():
    """Refuse machines that cannot work, step into `.venv`, and hand the command to Django."""
    refuse_unsuitable_machine()
    if not is_inside():
        prepare(TEST_LOCK if sys.argv[1:2] == ["test"] else RUN_TIME_LOCK)
        os.execv(str(PYTHON), [str(PYTHON), str(HERE / "manage.py"), *sys.argv[1:]])
    run_command()


def refuse_unsuitable_machine():
    """End with a sentence where the product cannot run at all."""
    if os.name != "posix":
        sys.exit("Statehouse runs on POSIX systems only (Linux, macOS, BSD). On Windows, use it inside WSL.")
    if sys.version_info < OLDEST_PYTHON:
        found = ".".join(map(str, sys.version_info[:3]))
        sys.exit("Statehouse needs Python 3.11 or newer; this is {} at {}.".format(found, sys.executable))  # noqa: UP032


def is_inside():
    """Tell whether the packages are there without our help: in the product's image, or in `.venv` already."""
    return os.environ.get("STATEHOUSE_IN_IMAGE") == "1" or Path(sys.prefix).resolve() == VENV.resolve()


# --- Making .venv -------------------------------------------------------------------------------------------


def prepare(lock):
    """Make `.venv` hold the packages of `lock`; return at once where it does already."""
    if is_installed(lock):
        return
    if VENV.is_symlink():
        sys.exit(f".venv is a link to {VENV.resolve()}, which is not emptied and filled from here. Remove the link.")
    with only_one_at_a_time():
        if not is_installed(lock):
            install(lock)


def is_installed(lock):
    """Compare the lock's digest with those that `.venv` was made from."""
    return PYTHON.exists() and INSTALLED.is_file() and stamp(lock) in INSTALLED.read_text().splitlines()


def stamp(lock):
    """Return the line that stands for `lock` as installed for the interpreter that `.venv` points to."""
    return f"{hashlib.sha256(lock.read_bytes()).hexdigest()} {PYTHON.resolve()}"


@contextmanager
def only_one_at_a_time():
    """Hold a lock on `.venv`, which the kernel releases even if this process is killed."""
    import fcntl  # POSIX only, and elsewhere a sentence was owed first

    VENV.mkdir(exist_ok=True)
    with (VENV / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another start is preparing .venv; waiting for it.", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def install(lock):
    """Install the packages of `lock`, from an empty folder if the one there is not whole."""
    print(f"Preparing .venv from {lock.name}; this happens once.", flush=True)
    if UNFINISHED.exists() or not is_usable():
        empty(VENV)
        UNFINISHED.touch()
        run([sys.executable, "-m", "venv", str(VENV)], "Python's venv and pip are needed (on Debian: python3-venv).")
    UNFINISHED.touch()
    INSTALLED.unlink(missing_ok=True)
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
    run([*pip, "--require-hashes", "--only-binary", ":all:", "-r", str(lock)], "The packages could not be installed.")
    locks = {RUN_TIME_LOCK, lock}
    INSTALLED.write_text("".join(stamp(each) + "\n" for each in sorted(locks)))
    UNFINISHED.unlink()


def is_usable():
    """Tell whether `.venv` has a Python that starts and has pip."""
    if not PYTHON.exists():
        return False
    return subprocess.run([str(PYTHON), "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0


def empty(folder):
    """Remove everything in `folder` but the lock that is being held."""
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        elif entry.name != "lock":
            entry.unlink()


def run(argv, explanation):
    """Run one step of the installation; end with `explanation` if it fails."""
    if subprocess.run(argv, check=False).returncode != 0:
        sys.exit(f"{explanation} Run the same command again once that is mended.")


# --- Inside .venv -------------------------------------------------------------------------------------------


def run_command():
    """Hand the command line to Django."""
    from django.core.management import execute_from_command_line

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
