"""What holds of the project as a whole: its lock files, its version, its layout, and what a wheel of it carries."""

import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import server
from server import resources

ROOT = Path(__file__).parents[2]
LOCKS = ("requirements.lock", "requirements-dev.lock")
LOCKED = re.compile(r"[a-z0-9.-]+==\S+( ; [^\\\n]+)? \\\n( +--hash=sha256:[0-9a-f]{64}( \\)?\n)+")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def pins(lock: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9.-]+)==(\S+)", read(lock), re.MULTILINE))


def files(folder: Path) -> set[str]:
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in found if "__pycache__" not in path.parts}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, check=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
        yield archive


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_place_to_fetch_from(lock: str) -> None:
    assert not re.search(r"://|find-links|index-url|trusted-host|^-", read(lock), re.MULTILINE)


@pytest.mark.parametrize("lock", LOCKS)
def test_everything_in_a_lock_has_one_version_and_hashes(lock: str) -> None:
    text = re.sub(r"^ *#.*\n", "", read(lock), flags=re.MULTILINE)
    blocks = re.findall(r"^\S(?:.*\n(?= ))*.*\n", text, re.MULTILINE)
    assert [block for block in blocks if not LOCKED.fullmatch(block)] == []
    assert len(blocks) == len(pins(lock)) > 0


def test_the_development_lock_holds_the_run_lock() -> None:
    assert pins("requirements.lock").items() < pins("requirements-dev.lock").items()


@pytest.mark.parametrize(
    ("lock", "asked"),
    [
        ("requirements.lock", PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["build"]),
        ("requirements-dev.lock", [each for each in PROJECT["dependency-groups"]["dev"] if isinstance(each, str)]),
    ],
)
def test_what_pyproject_asks_for_is_locked(lock: str, asked: list[str]) -> None:
    names = {re.split(r"[^a-z0-9-]", requirement)[0] for requirement in asked}
    assert names <= pins(lock).keys()


def test_every_dependency_to_run_with_is_given_a_reason() -> None:
    table = read("pyproject.toml").partition("\ndependencies = [\n")[2].partition("\n]")[0]
    assert table
    assert [line for line in table.splitlines() if not re.fullmatch(r' +".+", +# .+', line)] == []


def test_the_version_stands_in_one_place() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert "version" not in PROJECT["project"]
    assert PROJECT["tool"]["hatch"]["version"]["path"] == "server/__init__.py"
    assert re.fullmatch(r"\d+\.\d+\.\d+", server.__version__)


def test_a_wheel_is_called_by_that_version_and_starts_the_command(wheel: zipfile.ZipFile) -> None:
    information = f"cubilete-{server.__version__}.dist-info"
    assert f"Version: {server.__version__}\n" in wheel.read(f"{information}/METADATA").decode()
    assert "cubilete = server.cli:main" in wheel.read(f"{information}/entry_points.txt").decode()


@pytest.mark.parametrize(("folder", "packaged"), [("web", "server/_web"), ("migrations", "server/_migrations")])
def test_a_wheel_carries_the_folder_inside_the_package(wheel: zipfile.ZipFile, folder: str, packaged: str) -> None:
    carried = {name.removeprefix(f"{packaged}/") for name in wheel.namelist() if name.startswith(f"{packaged}/")}
    assert carried == files(ROOT / folder) != set()


def test_a_wheel_carries_the_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert tops == {"server", f"cubilete-{server.__version__}.dist-info"}
    assert {f"server/{name}" for name in files(ROOT / "server")} <= set(wheel.namelist())


def test_a_checkout_serves_its_own_folders() -> None:
    assert resources.web_folder() == ROOT / "web"
    assert resources.migrations_folder() == ROOT / "migrations"


def test_an_installed_package_serves_what_it_carries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "web").mkdir()  # a stranger's package in the same site-packages
    monkeypatch.setattr(resources, "_CHECKOUT", tmp_path)
    assert resources.web_folder() == ROOT / "server" / "_web"
    assert resources.migrations_folder() == ROOT / "server" / "_migrations"


@pytest.mark.parametrize("path", sorted((ROOT / "server").rglob("*.py")), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_file_is_longer_than_400_lines(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= 400


def test_ci_runs_what_a_developer_runs() -> None:
    assert re.findall(r"^make (\S+)$", read(".ci/run"), re.MULTILINE) == ["lint", "test"]
