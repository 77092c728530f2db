"""Pack the program folder for Linux: an archive that installs itself for one user, and a Debian package.

``python build.py FOLDER TARGET``: the program folder of ``make bundle``, and the folder for both files and
their sums. Needs tar, xz and dpkg-deb; without dpkg-deb there is no package.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "bundle"))
from variants import EXAMINER, VARIANTS  # noqa: E402

# The wheels of PySide6 need it; libraries that were collected from the system may need a newer one.
OLDEST_GLIBC = 34
# The variables of Debian's own tools name who answers for the package. Without them nobody does, and the
# package says so: the field is required, and no address ends in .invalid (RFC 2606).
NOBODY = "Nobody was named at the build", "unset@claimlight.invalid"
MAINTAINER = f"{os.environ.get('DEBFULLNAME') or NOBODY[0]} <{os.environ.get('DEBEMAIL') or NOBODY[1]}>"
FONTS = "fontconfig-config, fonts-dejavu-core | fonts-liberation | fonts-freefont-ttf"
DEPENDS = f"libc6 (>= 2.{{glibc}}), libgl1, libegl1, {FONTS}"
DESCRIPTION = """\
prior-art search with evidence for each feature of a claim
 A workbench for patent examiners: searches a library of patent documents on this computer, shows for each
 feature of a claim the passages that disclose it, and keeps cases with categories and notes.
 .
 Everything works without a network. The package brings its own Python."""
_SHARED = ("claimlight.svg", "claimlight-workbench.desktop", "claimlight-workbench.xml")
_GLIBC = re.compile(rb"\bGLIBC_2\.(\d+)\b")
_RELATIVE = b"GLIBC_ABI_DT_RELR"
"""Asked for by libraries whose relocations glibc before 2.36 can't read."""


def main() -> None:
    """Write both files and ``SHA256SUMS``."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, target = (Path(given).resolve() for given in sys.argv[1:])
    target.mkdir(parents=True, exist_ok=True)
    made = [make_archive(folder, target)]
    if shutil.which("dpkg-deb"):
        made.append(make_package(folder, target))
        if NOBODY[0] in MAINTAINER or NOBODY[1] in MAINTAINER:
            print("The package names nobody who answers for it: set DEBFULLNAME and DEBEMAIL.")
    else:
        print("There is no dpkg-deb here: no Debian package.")
    sums = "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in made)
    (target / "SHA256SUMS").write_text(sums, encoding="utf-8")
    for path in made:
        print(f"{path}: {path.stat().st_size / 1_000_000:.0f} MB")


def make_archive(folder: Path, target: Path) -> Path:
    """``claimlight-VERSION-linux-x86_64.run``: the installing script with the packed folder behind it."""
    made = target / f"{name_program(folder)}-{_version(folder)}-linux-x86_64.run"
    with tempfile.TemporaryDirectory(dir=target) as work:
        packed, shared = Path(work, "packed.tar.xz"), Path(work, "claimlight", "share")
        shared.mkdir(parents=True)
        for name in _SHARED:
            shutil.copy(HERE / name, shared)
        fixed = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", f"--mtime=@{_seconds(folder)}"]
        tar = [
            *("tar", "-cf", "-", *fixed, "--mode=go=u-w"),
            *("-C", folder.parent, folder.name, "-C", work, "claimlight/share"),
        ]
        _pipe([*map(str, tar)], ["xz", "-6", "-T2", "-c"], packed)
        values = {
            "VERSION": _version(folder),
            "SHA256": _digest(packed),
            "UNPACKED_KB": str(sum(path.stat().st_size for path in _files(folder)) // 1000 + 20_000),
            "GLIBC_MINOR": str(find_glibc(folder)),
        }
        with made.open("wb") as stream, packed.open("rb") as rest:
            stream.write(write_head(values))
            shutil.copyfileobj(rest, stream)
    made.chmod(0o755)
    return made


def write_head(values: dict[str, str]) -> bytes:
    """The script with its values, among them its own length."""
    text = (HERE / "install.sh").read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    length = len(text.encode())
    while True:
        head = text.replace("@HEAD_BYTES@", str(length)).encode()
        if len(head) == length:
            return head
        length = len(head)


def make_package(folder: Path, target: Path) -> Path:
    """``claimlight_VERSION_amd64.deb``: the program folder as ``/opt/claimlight``; no maintainer scripts."""
    made = target / f"{name_program(folder)}_{_version(folder)}_amd64.deb"
    with tempfile.TemporaryDirectory(dir=target) as work:
        root = Path(work, "root")
        _fill(root, folder)
        control = root / "DEBIAN"
        control.mkdir()
        (control / "control").write_text(write_control(folder, root), encoding="utf-8")
        sums = [
            f"{_digest(path, 'md5')}  {path.relative_to(root)}\n"
            for path in _files(root)
            if control not in path.parents
        ]
        (control / "md5sums").write_text("".join(sums), encoding="utf-8")
        for path in (root, *root.rglob("*")):
            if not path.is_symlink():
                run = path.is_dir() or path.stat().st_mode & 0o100
                path.chmod(0o755 if run else 0o644)
        built = ["dpkg-deb", "--root-owner-group", "-Zzstd", "-z12", "--build", root, made]
        _run([*map(str, built)], {"SOURCE_DATE_EPOCH": _seconds(folder)})
    return made


def write_control(folder: Path, root: Path) -> str:
    """The control data of the package whose files are in ``root``."""
    size = sum(path.stat().st_size for path in _files(root)) // 1024
    name = name_program(folder)
    # All variants are one program in one place: to install another one takes the former away.
    others = ", ".join(each for each in map(_name, VARIANTS) if each != name)
    fields = {
        "Package": name,
        "Version": _version(folder),
        "Architecture": "amd64",
        "Maintainer": MAINTAINER,
        "Installed-Size": str(size),
        "Depends": DEPENDS.format(glibc=find_glibc(folder)),
        "Conflicts": others,
        "Replaces": others,
        "Section": "science",
        "Priority": "optional",
        "Description": DESCRIPTION,
    }
    return "".join(f"{name}: {value}\n" for name, value in fields.items())


def name_program(folder: Path) -> str:
    """``claimlight``, or ``claimlight-VARIANT`` of another variant than the examiner's."""
    return _name(str(_stamp(folder).get("variant", EXAMINER)))


def _name(variant: str) -> str:
    return "claimlight" if variant == EXAMINER else f"claimlight-{variant}"


def find_glibc(folder: Path) -> int:
    """The minor version of glibc 2 that the libraries in the folder ask for."""
    newest = OLDEST_GLIBC
    for path in _files(folder):
        with path.open("rb") as stream:
            if stream.read(4) != b"\x7fELF":
                continue
        content = path.read_bytes()
        asked = [int(each) for each in _GLIBC.findall(content)]
        if _RELATIVE in content:
            asked.append(36)
        newest = max(newest, *asked, 0)
    return newest


def _fill(root: Path, folder: Path) -> None:
    """Lay out the files of the package; the program is linked where the disk allows it, not copied."""
    program = root / "opt" / "claimlight"
    shutil.copytree(folder, program, symlinks=True, copy_function=_link)
    links = root / "usr" / "bin"
    links.mkdir(parents=True)
    for name in ("claimlight", "claimlight-workbench"):
        (links / name).symlink_to(f"/opt/claimlight/{name}")
    places = {
        "claimlight.svg": "usr/share/icons/hicolor/scalable/apps",
        "claimlight-workbench.desktop": "usr/share/applications",
        "claimlight-workbench.xml": "usr/share/mime/packages",
    }
    for name, place in places.items():
        (root / place).mkdir(parents=True)
        shutil.copy(HERE / name, root / place)
    documents = root / "usr" / "share" / "doc" / name_program(folder)
    documents.mkdir(parents=True)
    documents.joinpath("copyright").write_text(_copyright(folder), encoding="utf-8")
    # dpkg wants a changelog of its own form; it points to the one for readers.
    date = format_datetime(datetime.fromtimestamp(int(_seconds(folder)), UTC))
    head = f"{name_program(folder)} ({_version(folder)}) stable; urgency=medium"
    entry = f"{head}\n\n  * CHANGELOG.md of the sources says what is new.\n\n -- {MAINTAINER}  {date}\n"
    with (documents / "changelog.gz").open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as stream:
        stream.write(entry.encode())


def _copyright(folder: Path) -> str:
    listed = (folder / "licences" / "LICENCES.txt").read_text(encoding="utf-8")
    return (
        "Claimlight is under the Apache License 2.0: /usr/share/common-licenses/Apache-2.0.\n"
        "The texts of all other licences are in /opt/claimlight/licences. What they belong to:\n\n" + listed
    )


def _link(source: str, target: str) -> None:
    # The package sets the rights of its files, which must not change those of the program folder.
    mode = Path(source).stat().st_mode & 0o777
    if mode in {0o644, 0o755}:
        try:
            os.link(source, target)
        except OSError:
            pass
        else:
            return
    shutil.copy2(source, target)


def _version(folder: Path) -> str:
    return str(_stamp(folder)["version"])


def _seconds(folder: Path) -> str:
    date = datetime.fromisoformat(str(_stamp(folder)["date"])).replace(tzinfo=UTC)
    return os.environ.get("SOURCE_DATE_EPOCH") or str(int(date.timestamp()))


def _stamp(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "build.json").read_text(encoding="utf-8"))
    return found


def _digest(path: Path, kind: str = "sha256") -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, kind).hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())


def _pipe(first: list[str], second: list[str], target: Path) -> None:
    with target.open("wb") as stream, subprocess.Popen(first, stdout=subprocess.PIPE) as left:
        ended = subprocess.run(second, stdin=left.stdout, stdout=stream, check=False)
    if left.returncode or ended.returncode:
        sys.exit(f"{first[0]} or {second[0]} failed")


def _run(command: list[str], more: dict[str, str]) -> None:
    subprocess.run(command, env={**os.environ, **more}, stdout=subprocess.DEVNULL, check=True)


if __name__ == "__main__":
    main()
