"""`make exam`: the native machine compiled with AddressSanitizer and UndefinedBehaviorSanitizer, and its tests on it.

The module is built in a folder of its own. The tests import it from there, in a process with the sanitizer's library.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = (
    "tests/oracle/test_machines_agree.py",
    "tests/oracle/test_wide_structures.py",
    "tests/unit/domains/shape/test_native_calls.py",
    "tests/cli/test_machines.py",
)


def _library(name: str) -> str:
    found = subprocess.run(["c++", f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return found.stdout.strip()


def main() -> int:
    """Build, then test; the exit code of what failed first."""
    with tempfile.TemporaryDirectory() as folder:
        nanobind = subprocess.run(
            [sys.executable, "-m", "nanobind", "--cmake_dir"], capture_output=True, text=True, check=True
        ).stdout.strip()
        configure = ["cmake", "-S", str(ROOT), "-B", folder, "-DKLEENE_SANITIZE=ON", "-DCMAKE_BUILD_TYPE=Release"]
        configure += [f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={nanobind}"]
        subprocess.run(configure, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["cmake", "--build", folder, "--parallel", "2"], check=True, stdout=subprocess.DEVNULL)
        module = next(Path(folder).glob("_native*.so"))
        library = ":".join(_library(name) for name in ("libasan.so", "libstdc++.so"))
        environment = os.environ | {
            "LD_PRELOAD": library,  # pytest would hide what the sanitizer says without -s
            "ASAN_OPTIONS": "detect_leaks=0",  # the interpreter itself leaks at its end
            "KLEENE_NATIVE_MODULE": str(module),
        }
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-s", "-q", *TESTS], cwd=ROOT, env=environment
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
