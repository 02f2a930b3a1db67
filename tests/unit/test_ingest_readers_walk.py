"""Walking a folder: what is no file stops nothing, and links lead to each folder once."""

import os
import socket

import pytest

from ingest.readers.sources import read_sources
from ingest.rejected import Rejected
from polaris_search.errors import SourceUnreadable
from polaris_search.records import RawTable


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Make the working folder an empty one, and return a function that writes a table there."""
    monkeypatch.chdir(tmp_path)

    def write_table(name):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x\n")

    return write_table


def ids(*sources):
    items = list(read_sources(sources))
    assert all(isinstance(item, RawTable) for item in items)
    return [item.table_id for item in items]


@pytest.mark.parametrize("name", ["pipe.csv", "pipe.jsonl", "metadata.csv", "pipe"])
@pytest.mark.parametrize("format", [None, "csv"])
def test_a_pipe_in_a_folder_is_reported_and_the_other_folders_are_read(write, name, format):
    write("data/sub/b.csv")
    os.mkfifo(f"data/{name}")

    bad, good = read_sources(["data"], format)

    assert isinstance(bad, Rejected)
    assert bad.sentence == (
        f"data/{name}: It is a pipe, not a file. "
        "Write what it gives into a file, or move it elsewhere."
    )
    assert good.table_id == "data/sub/b.csv"


def test_a_link_to_a_device_and_a_socket_are_reported(write):
    write("data/a.csv")
    os.symlink("/dev/zero", "data/b.csv")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("data/c")

        good, device, sock = read_sources(["data"])

    assert good.table_id == "data/a.csv"
    assert (device.source, device.problem) == ("data/b.csv", "It is a device, not a file")
    assert (sock.source, sock.problem) == ("data/c", "It is a socket, not a file")


@pytest.mark.parametrize("format", [None, "csv", "tsv", "jsonl", "polaris", "sql"])
@pytest.mark.parametrize("name", ["pipe.csv", "/dev/zero"])
def test_a_pipe_or_device_that_is_named_is_refused_before_anything_is_read(write, name, format):
    write("a.csv")
    os.mkfifo("pipe.csv")

    with pytest.raises(SourceUnreadable, match=r"It is a (pipe|device), not a file\. Write what"):
        read_sources(["a.csv", name], format)


@pytest.mark.parametrize("address", ["sqlite:////dev/zero", "sqlite:///pipe.db"])
def test_a_database_that_is_no_file_is_refused(write, tmp_path, address):
    os.mkfifo(tmp_path / "pipe.db")

    with pytest.raises(SourceUnreadable, match="It is not a file"):
        read_sources([address])


def test_a_link_to_a_file_is_a_file_and_a_broken_one_is_reported(write):
    write("a.csv")
    write("data/z.csv")
    os.symlink("../a.csv", "data/link.csv")
    os.symlink("gone.csv", "data/m.csv")

    link, broken, other = read_sources(["data"])

    assert (link.table_id, other.table_id) == ("data/link.csv", "data/z.csv")
    assert broken.problem == "It cannot be read (No such file or directory)"


def test_a_linked_folder_is_read_after_the_others(write):
    write("elsewhere/deep/a.csv")
    write("data/z.csv")
    os.symlink("../elsewhere", "data/link")

    assert ids("data") == ["data/z.csv", "data/link/deep/a.csv"]


def test_a_folder_that_two_links_lead_to_is_read_once_and_by_its_own_name_where_it_has_one(write):
    write("elsewhere/a.csv")
    write("data/z/b.csv")
    write("data/.hidden/c.csv")
    os.symlink("z", "data/first")
    os.symlink("../elsewhere", "data/second")
    os.symlink("../elsewhere", "data/third")
    os.symlink(".hidden", "data/shown")

    assert ids("data") == ["data/z/b.csv", "data/second/a.csv", "data/shown/c.csv"]


def test_links_that_go_round_end_and_folders_above_are_passed_over(write):
    write("other/a.csv")
    write("data/sub/b.csv")
    os.symlink("..", "data/sub/up")
    os.symlink("../..", "data/sub/above")
    os.symlink("../other", "data/other")
    os.symlink("../data", "other/back")
    os.symlink("self", "data/self")  # leads nowhere

    *tables, nowhere = read_sources(["data"])
    tables = [item for item in (*tables, nowhere) if isinstance(item, RawTable)]

    assert [table.table_id for table in tables] == ["data/sub/b.csv", "data/other/a.csv"]


def test_a_linked_folder_that_is_named_itself_is_read(write):
    write("real/a.csv")
    os.symlink("real", "link")

    assert ids("link") == ["link/a.csv"]
