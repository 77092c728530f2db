"""Shares of an import: every file is in exactly one, the same wherever its folder is mounted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from importing_fakes import grant, settings

from claimlight.errors import InputError
from claimlight.services.library.library import Library, import_paths
from claimlight.services.library.sharding import Shard
from claimlight.store.repository import read_documents_after
from claimlight.tasks import TaskContext


def publications(folder: Path) -> set[str]:
    with Library.open(folder) as library:
        return {str(item.publication) for item in read_documents_after(library.store, 0, 1000)}


def test_the_shares_together_are_the_whole(tmp_path):
    files = tmp_path / "files"
    (files / "weeks").mkdir(parents=True)
    for number in range(8):
        body = b"".join(grant(3 * number + place) for place in range(3))
        (files / "weeks" / f"week-{number}.xml").write_bytes(body)
    with Library.create(tmp_path / "whole") as library:
        import_paths(library, [files], TaskContext(), settings(5))
    elsewhere = tmp_path / "mounted" / "elsewhere"
    shutil.copytree(files, elsewhere)
    shares = []
    for number, root in ((1, files), (2, elsewhere), (3, files)):
        with Library.create(tmp_path / f"share-{number}") as library:
            import_paths(library, [root], TaskContext(), settings(5), shard=Shard(number, 3))
        shares.append(publications(tmp_path / f"share-{number}"))
    whole = publications(tmp_path / "whole")
    assert len(whole) == 24
    assert set().union(*shares) == whole
    assert sum(map(len, shares)) == len(whole)
    assert all(shares)


def test_tables_of_one_folder_stay_together():
    root = Path("/data")
    names = ("patents.tsv", "claims.tsv.zip", "texts.csv", "texts.csv.gz")
    folders = [root / f"set-{number}" for number in range(12)]
    files = [folder / name for folder in folders for name in names]
    chosen = [Shard(number, 4).choose(files, [root]) for number in range(1, 5)]
    assert sorted(path for some in chosen for path in some) == sorted(files)
    for some in chosen:
        assert all(folder / name in some for folder in {path.parent for path in some} for name in names)
    assert len([some for some in chosen if some]) > 1


def test_a_share_that_is_none_is_refused():
    assert Shard.parse(" 2/5 ") == Shard(2, 5)
    for text in ("0/5", "6/5", "2", "2/", "a/b", "-1/3", "1/0"):
        with pytest.raises(InputError, match="second of five"):
            Shard.parse(text)
