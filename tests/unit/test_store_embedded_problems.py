"""What the embedded store refuses, and in which words."""

import errno
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tables import fill, found, table

from polaris_search.errors import StoreProblem, UsageError
from polaris_search.records import Description, EnrichedTable, Provenance, RawTable
from polaris_search.store.embedded.database import FILE_NAME
from polaris_search.store.embedded.file_systems import file_system_type, refuse_network_share
from polaris_search.store.embedded.problems import told_plainly
from polaris_search.store.embedded.store import EmbeddedStore

MOUNTS = r"""
/dev/vda / ext4 rw 0 0
nas:/export /srv nfs4 rw 0 0
tmpfs /srv/fast tmpfs rw 0 0
//win/share /mnt/two\040words cifs rw 0 0
C: /mnt/c 9p rw 0 0
/dev/sdb /srv ext4 rw 0 0
""".strip()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "store"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/me/data", "ext4"),
        ("/srv/fast/data", "tmpfs"),
        ("/srvx", "ext4"),
        ("/mnt/two words/data", "cifs"),
        ("/mnt/c/Users", "9p"),
        ("/srv/data", "ext4"),  # mounted over the share, later
    ],
)
def test_the_file_system_of_a_folder_is_that_of_the_innermost_and_latest_mount(path, kind):
    assert file_system_type(Path(path), MOUNTS) == kind


def test_a_folder_on_a_network_share_is_refused(tmp_path):
    (tmp_path / "mounts").write_text(f"nas:/x {tmp_path} nfs4 rw 0 0\n")

    with pytest.raises(StoreProblem, match=r"network share \(nfs4\).*Set POLARIS_STORE to"):
        refuse_network_share(tmp_path / "store", tmp_path / "mounts")


def test_a_system_without_a_list_of_mounts_takes_every_folder(tmp_path):
    refuse_network_share(tmp_path, tmp_path / "none")


def test_a_database_that_another_program_holds_is_said_to_be_locked(folder):
    with closing(EmbeddedStore(folder, busy_timeout_s=0.01)) as store:
        with closing(sqlite3.connect(folder / FILE_NAME, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreProblem, match=r"locked\. Wait until that command is done"):
                store.put([table("a", "zebra")])
            other.execute("ROLLBACK")

        fill(store, table("a", "zebra"))
        assert found(store, "zebra") == ["a"]


def test_readers_go_on_while_another_process_writes(folder):
    with closing(EmbeddedStore(folder, busy_timeout_s=0.01)) as store:
        fill(store, table("a", "zebra"))
        with closing(sqlite3.connect(folder / FILE_NAME, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")

            assert found(store, "zebra") == ["a"]
            assert list(store.table_ids()) == ["a"]


def test_a_full_disk_is_named_and_keeps_what_was_stored(folder):
    with closing(EmbeddedStore(folder)) as store:
        fill(store, table("a", "zebra"))
        (pages,) = store._database.row("PRAGMA page_count")
        store._database.row(f"PRAGMA max_page_count = {pages + 1}")

        with pytest.raises(StoreProblem, match=r"disk is full\. Free space there"):
            store.put(table(f"t{number}", "long " * 5000) for number in range(50))

        assert list(store.table_ids()) == ["a"]
        assert found(store, "zebra") == ["a"]


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "disk is full"),
        (errno.EROFS, "cannot be written to"),
        (errno.EACCES, "cannot be written to"),
        (errno.EIO, r"reports an error \(Input/output error\)"),
    ],
)
def test_errors_of_the_file_system_become_sentences_with_the_folder(folder, number, words):
    with pytest.raises(StoreProblem, match=f"{folder}.*{words}"), told_plainly(folder):
        raise OSError(number, os.strerror(number))


def test_a_database_that_cannot_be_written_is_said_to_be_so(folder):
    with closing(EmbeddedStore(folder)) as store:
        store._database.row("PRAGMA query_only = 1")

        with pytest.raises(StoreProblem, match="cannot be written to. Give this user the right"):
            store.put([table("a")])


@pytest.mark.parametrize("content", [b"not a database at all, just text\n" * 200, b"\0" * 9000])
def test_a_file_that_is_no_database_is_refused(folder, content):
    folder.mkdir()
    (folder / FILE_NAME).write_bytes(content)

    with pytest.raises(StoreProblem, match="damaged. Put polaris.sqlite back from a backup"):
        EmbeddedStore(folder)


def test_a_damaged_database_is_named_as_such(folder):
    with closing(EmbeddedStore(folder)) as store:
        fill(store, *(table(f"t{number}", "zebra " * 50) for number in range(200)))
    path = folder / FILE_NAME
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    path.write_bytes(data)

    with (
        pytest.raises(StoreProblem, match="database is damaged"),
        closing(EmbeddedStore(folder)) as s,
    ):
        list(s.tables())


def test_another_program_s_database_is_left_alone(folder):
    folder.mkdir()
    with closing(sqlite3.connect(folder / FILE_NAME)) as other:
        other.execute("CREATE TABLE theirs (x)")

    with pytest.raises(StoreProblem, match="another program's database"):
        EmbeddedStore(folder)

    with closing(sqlite3.connect(folder / FILE_NAME)) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]


def test_a_database_of_another_version_is_refused(folder):
    EmbeddedStore(folder).close()
    with closing(sqlite3.connect(folder / FILE_NAME)) as other:
        other.execute("PRAGMA user_version = 99")

    with pytest.raises(StoreProblem, match="another version of this program"):
        EmbeddedStore(folder)


def test_a_file_where_the_folder_should_be_is_refused(tmp_path):
    (tmp_path / "store").write_text("x")

    with pytest.raises(StoreProblem, match="Set POLARIS_STORE to a folder"):
        EmbeddedStore(tmp_path / "store")


def test_half_a_surrogate_in_a_description_refuses_that_table_alone(folder):
    broken = EnrichedTable(
        RawTable("bad", "t"), Provenance("h"), description=Description("\ud800", "", "", "", "", "")
    )
    with closing(EmbeddedStore(folder)) as store:
        report = store.put([table("a"), broken, table("b")])

        assert (report.stored, [one.table_id for one in report.refused]) == (2, ["bad"])
        assert "Repair" in report.refused[0].reason
        assert list(store.table_ids()) == ["a", "b"]


@pytest.mark.parametrize(
    ("filters", "words"),
    [({"colour": ["red"]}, "No filter 'colour'"), ({"column_count": ["many"]}, "whole number")],
)
def test_a_filter_that_cannot_be_meant_is_refused(folder, filters, words):
    with closing(EmbeddedStore(folder)) as store:
        fill(store, table("a", "zebra"))

        with pytest.raises(UsageError, match=words):
            found(store, "zebra", filters=filters)
