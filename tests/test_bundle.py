"""What goes into the frozen program: all modules but the laboratory's, files of the wheel, nothing else."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def load(name):
    folder = str(ROOT / "installer" / "bundle")
    spec = importlib.util.spec_from_file_location(name, f"{folder}/{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look it up
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(folder)
    return module


def test_every_module_is_named_but_those_of_the_laboratory():
    contents, variants = load("contents"), load("variants").VARIANTS
    names = [*contents.modules(variants["examiner"])]
    assert {"claimlight.cli.classify_command", "claimlight.formats", "claimlight_workbench.bootstrap"} <= {
        *names
    }
    assert not [name for name in names if name.startswith("claimlight.lab") or "migrations" in name]
    on_disk = [path for path in (ROOT / "app").rglob("*.py") if "__pycache__" not in path.parts]
    assert len([name for name in names if name.startswith("claimlight_workbench")]) == len(on_disk)


def test_files_of_the_wheel_and_migrations_go_where_the_program_looks_for_them():
    pytest.importorskip("hatchling", reason="needs the release environment")
    targets = {
        Path(target, Path(source).name).as_posix()
        for source, target in load("contents").files(load("variants").VARIANTS["examiner"])
    }
    assert "claimlight/resources/sample/application.xml" in targets
    assert "claimlight/resources/manual/guide/examiner.md" in targets
    assert any(name.startswith("claimlight/store/migrations/") for name in targets)
    assert not [name for name in targets if "/lab/" in name]


@pytest.mark.parametrize(
    ("name", "used"),
    [
        ("PySide6/Qt/translations/qtbase_de.qm", True),
        ("PySide6/Qt/translations/qtbase_ja.qm", False),
        ("PySide6/Qt/plugins/platformthemes/libqgtk3.so", False),
        ("PySide6/Qt/plugins/tls/libqopensslbackend.so", False),
        ("PySide6\\Qt\\plugins\\platforms\\qwindows.dll", True),
        ("claimlight-0.1.0.dist-info/direct_url.json", False),
        ("claimlight-0.1.0.dist-info/METADATA", True),
        ("numpy-2.4.6.dist-info/RECORD", False),
    ],
)
def test_unused_files_and_names_of_the_machine_are_left_out(name, used):
    assert load("contents").is_used(name) is used


def test_a_folder_that_is_not_fit_is_refused(tmp_path):
    build, variants = load("build"), load("variants").VARIANTS
    examiner, missing = (
        variants["examiner"],
        "1 WARNING: Library not found: could not resolve '{}', needed by x",
    )
    build._refuse_missing(missing.format("libgtk-3.so.0"), examiner)
    for library in ("libEGL.so.1", "libcudart.so.13"):
        with pytest.raises(build.UnfitError, match=library):
            build._refuse_missing(missing.format(library), examiner)
    # The variant for graphics cards takes the libraries of CUDA from the computer.
    build._refuse_missing(missing.format("libcudart.so.13"), variants["gpu"])
    (tmp_path / "_internal").mkdir()
    (tmp_path / "_internal" / "large").write_bytes(bytes(1000))
    build._refuse_contents(tmp_path, examiner)
    with pytest.raises(build.UnfitError, match="large"):
        build._refuse_contents(tmp_path, dataclasses.replace(examiner, largest=999))
    for name in ("torch", "numba", "claimlight/lab"):
        (tmp_path / "_internal" / name).mkdir(parents=True)
        with pytest.raises(build.UnfitError, match=name.replace("/", r"\.")):
            build._refuse_contents(tmp_path, examiner)
    build._refuse_contents(tmp_path, variants["research"])
    (tmp_path / "_internal" / "IPython").mkdir()
    with pytest.raises(build.UnfitError, match="IPython"):
        build._refuse_contents(tmp_path, variants["research"])


def test_variants_are_made_of_extras_that_are_there():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = project["project"]["optional-dependencies"]
    variants = load("variants").VARIANTS
    assert set(variants) == {"examiner", "gpu", "research", "shared"}
    for variant in variants.values():
        assert {*variant.extras} <= {*extras}
        # The two runtimes are one import package, so both together break each other.
        assert not {"cpu", "gpu"} <= {*variant.extras}
    assert not {"train", "lab"} & {*variants["examiner"].extras, *variants["gpu"].extras}
    clients = {"keyring", "milvus", "postgres", "qdrant"}
    assert clients <= {*variants["shared"].extras}
    assert not any(clients & {*variants[name].extras} for name in ("examiner", "gpu", "research"))
    names = [*load("contents").modules(variants["research"])]
    assert {"claimlight.lab.cli", "claimlight.training"} <= {".".join(name.split(".")[:3]) for name in names}


def test_clients_of_servers_are_in_the_variant_for_shared_libraries_alone():
    contents, variants = load("contents"), load("variants").VARIANTS
    clients = {"grpc", "keyring", "pandas", "psycopg", "psycopg_binary", "pymilvus", "qdrant_client"}
    assert not clients & {*contents.excluded(variants["shared"])}
    assert {"torch", "qdrant_edge", "scipy"} <= {*contents.excluded(variants["shared"])}
    assert clients <= {*contents.excluded(variants["examiner"])}
    assert clients - {"pandas"} <= {*contents.excluded(variants["research"])}


def test_what_is_under_the_lgpl_can_be_replaced_and_comes_with_its_texts():
    pytest.importorskip("psycopg", reason="needs the extra [postgres]")
    parts, shared = load("parts"), load("variants").VARIANTS["shared"]
    # In the archive of the program file nobody could change them.
    assert {"psycopg", "psycopg_binary"} <= {*shared.replaceable}
    for name in ("psycopg", "psycopg-binary"):
        part = parts._distribution(name)
        assert part.licence == "LGPL-3.0-only"
        for title in (
            "GNU LESSER GENERAL PUBLIC LICENSE",
            "GNU GENERAL PUBLIC LICENSE",
            "you may replace it",
        ):
            assert title in part.text
    # Libraries that are inside its wheel, which has no texts of theirs.
    for title in (
        "OpenLDAP Public License",
        "Carnegie Mellon",
        "Version 2.1, February 1999",
        "Apache License",
    ):
        assert title in part.text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            '1 connect(3, {sa_family=AF_INET, sin_port=htons(9), sin_addr=inet_addr("127.0.0.1")}, 16) = -1',
            True,
        ),
        (
            "1 connect(7, {sa_family=AF_INET6, sin6_port=htons(9), sin6_flowinfo=htonl(0), "
            'inet_pton(AF_INET6, "::ffff:127.0.0.1", &sin6_addr), sin6_scope_id=0}, 28) = -1',
            True,
        ),
        (
            '1 connect(3, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("127.0.0.1")}, 16) = 0',
            False,
        ),
        (
            '1 connect(3, {sa_family=AF_INET, sin_port=htons(9), sin_addr=inet_addr("192.0.2.1")}, 16) = 0',
            False,
        ),
    ],
)
def test_the_smoke_test_knows_the_one_port_that_may_be_asked(line, expected):
    smoke = load("smoke")
    assert bool(smoke.re.search(smoke.ABSENT.format(port=9), line)) is expected


def test_a_client_that_does_not_ask_its_server_fails_the_smoke_test(tmp_path):
    """Programs that end otherwise, say something else, or connect to nothing where that is watched."""
    smoke = load("smoke")
    said = "import sys; print('Error: db:9 is not there', file=sys.stderr); "

    def run(program, **expected):
        return smoke._run([sys.executable, "-c", program], tmp_path, dict(smoke.os.environ), **expected)

    run(said + "sys.exit(1)", refused="db:9 is not there")
    with pytest.raises(smoke.SmokeError, match="ended with 0"):
        run(said, refused="db:9 is not there")
    with pytest.raises(smoke.SmokeError, match="ended with 1"):
        run(said + "sys.exit(1)", refused="db:8")
    if smoke.shutil.which("strace"):
        with pytest.raises(smoke.SmokeError, match="did not ask port 9"):
            run(said + "sys.exit(1)", refused="db:9", port=9)
    assert run("print(input())", typed="word\n") == "word\n"


def test_the_smoke_test_hears_who_speaks_to_the_bus(tmp_path):
    smoke, heard = load("smoke"), []
    with smoke.socket.socket(smoke.socket.AF_UNIX) as bus:
        bus.bind(str(tmp_path / "bus"))
        bus.listen()
        hearing = smoke.threading.Thread(target=smoke._hear, args=(bus, heard), daemon=True)
        hearing.start()
        with smoke.socket.socket(smoke.socket.AF_UNIX) as caller:
            caller.connect(str(tmp_path / "bus"))
            caller.sendall(b"AUTH\n")
            assert caller.recv(1) == b""
    assert heard == [b"AUTH\n"]


def test_wide_registers_are_refused_where_every_processor_must_do(tmp_path, monkeypatch):
    build = load("build")
    folder = tmp_path / "_internal" / build.KERNELS
    folder.mkdir(parents=True)
    for level in ("v2", "v3"):
        (folder / f"kernels-x86-64-{level}.so").touch()
    monkeypatch.setattr(build.shutil, "which", lambda _: "objdump")
    found = {"kernels-x86-64-v3": {"ymm"}}
    monkeypatch.setattr(build, "_find_registers", lambda path: found.get(path.stem, set()))
    build._refuse_modern_instructions(tmp_path)
    found["kernels-x86-64-v2"] = {"ymm"}
    with pytest.raises(build.UnfitError, match=r"v2\.so has instructions with ymm"):
        build._refuse_modern_instructions(tmp_path)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("index: 8 of 8 documents, 1/s, 0:00:00 left", True),
        ("8 documents imported; 8 files in 0.1 s.", True),
        ("UserWarning: something", False),
        ("Traceback (most recent call last):", False),
    ],
)
def test_the_smoke_test_knows_what_the_program_says(line, expected):
    assert bool(load("smoke").EXPECTED.fullmatch(line)) is expected
    assert load("smoke").REACHED.search("1 connect(3, {sa_family=AF_INET, sin_port=htons(53)") is not None


def test_the_smoke_test_works_in_a_home_of_its_own(tmp_path):
    given = {"PATH": "p", "SYSTEMROOT": "C:\\Windows", "DISPLAY": ":1"}
    make = load("smoke").make_environment
    linux = make(tmp_path, given, windows=False)
    assert (linux["HOME"], linux["DISPLAY"], "SYSTEMROOT" in linux) == (str(tmp_path), ":1", False)
    # Windows needs its own variables, and names a user's folders whatever they say.
    windows = make(tmp_path, given, windows=True)
    assert windows["SYSTEMROOT"] == given["SYSTEMROOT"]
    data = tmp_path / ".local" / "share" / "claimlight"
    assert (windows["CLAIMLIGHT_DATA_DIR"], windows["QT_QPA_PLATFORM"]) == (str(data), "windows")


def test_the_runtime_of_windows_is_a_part_with_its_terms(tmp_path, monkeypatch):
    parts = load("parts")
    # What `find_parts` imports, while the platform is still the one it runs on.
    importlib.import_module("claimlight.services.about")
    monkeypatch.setattr(parts, "FREEZER", "pytest")
    monkeypatch.setattr(parts.sys, "platform", "win32")
    monkeypatch.setattr(parts.sys, "base_prefix", str(tmp_path))
    for name in ("VCRUNTIME140_1.dll", "python311.dll", "LICENSE.txt"):
        (tmp_path / name).write_text("PYTHON SOFTWARE FOUNDATION LICENSE")
    found = parts.find_parts(
        [(name, str(tmp_path / name)) for name in ("VCRUNTIME140_1.dll", "python311.dll")]
    )
    files = {part.name: part.files for part in found}
    assert files["Microsoft Visual C++ runtime"] == ["VCRUNTIME140_1.dll"]
    assert files["Python"] == ["python311.dll"]
    with pytest.raises(parts.NoPartError, match="msvcr100"):
        parts.find_parts([("msvcr100.dll", str(tmp_path / "msvcr100.dll"))])


def test_a_part_without_licence_and_a_file_of_nothing_are_refused():
    parts = load("parts")
    known = parts.Part("library", "numpy", "2", "BSD", "text", "pkg:pypi/numpy@2")
    parts._refuse({"numpy": known}, [])
    with pytest.raises(parts.NoPartError, match=r"no licence text of damper"):
        parts._refuse({"numpy": parts.Part("library", "damper", "1", "MIT", " ")}, [])
    with pytest.raises(parts.NoPartError, match=r"no part .* libdamper\.so"):
        parts._refuse({"numpy": known}, ["libdamper.so"])
    with pytest.raises(parts.NoPartError, match="does not depend on pytest"):
        parts._refuse(
            {"pytest": parts.Part("library", "pytest", "8", "MIT", "text", "pkg:pypi/pytest@8")}, []
        )


def test_files_belong_to_distributions_models_and_python(tmp_path, monkeypatch):
    import numpy

    parts = load("parts")
    monkeypatch.setattr(parts, "FREEZER", "pytest")  # PyInstaller is in the release environment only
    monkeypatch.setattr(parts, "owners", lambda: {str(Path(numpy.__file__).resolve()): "numpy"})
    model = ROOT / "resources" / "models" / "ipc-small-1" / "labels.json"
    icon = ROOT / "resources" / "icons" / "find.svg"
    found = parts.find_parts(
        [("numpy", numpy.__file__), ("labels", str(model)), ("icon", str(icon)), ("json", json.__file__)]
    )
    files = {part.name: part.files for part in found}
    assert (found[0].name, found[0].group) == ("Claimlight", "program")
    assert (files["numpy"], files["ipc-small 1"], files["Lucide icons"]) == (["numpy"], ["labels"], ["icon"])
    assert files["Python"] == ["json"]
    assert len({part.page for part in found}) == len(found)
    (tmp_path / "MIT").write_text("Permission is hereby granted")
    (tmp_path / "copyright").write_text("License: MIT\n See /usr/share/common-licenses/MIT.\n")
    assert "hereby granted" in parts.read_copyright(tmp_path / "copyright", tmp_path)
