"""Which kind of file system a folder lies on, so that network shares are refused.

SQLite's write-ahead log needs memory that all processes share, which a network file system does not
give: two machines would damage the database without noticing.
"""

import re
from pathlib import Path

from polaris_search.errors import StoreProblem

MOUNTS = Path("/proc/mounts")

NETWORK_TYPES = frozenset(
    ("9p", "afs", "beegfs", "ceph", "cifs", "coda", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs")
    + ("nfs4", "ocfs2", "orangefs", "pvfs2", "smb3", "smbfs", "fuse.ceph", "fuse.glusterfs")
    + ("fuse.juicefs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs")
)


def refuse_network_share(folder: Path, mounts: Path = MOUNTS) -> None:
    """Refuse a folder on a network share. Where the system has no list of mounts, accept all.

    Raises:
        StoreProblem: the folder's file system is one of NETWORK_TYPES.
    """
    if not mounts.exists():
        return
    kind = file_system_type(folder.resolve(), mounts.read_text(errors="surrogateescape"))
    if kind in NETWORK_TYPES:
        raise StoreProblem(
            f"The store in {folder} lies on a network share ({kind}), where the database would "
            "be damaged sooner or later. Set POLARIS_STORE to a folder on a disk of this machine, "
            "or to an Elasticsearch server."
        )


def file_system_type(folder: Path, mounts: str) -> str | None:
    """Return the type of the file system that an absolute folder lies on, None if none is listed.

    Args:
        folder: the folder; it need not exist.
        mounts: lines of device, mount point, type, ..., blanks escaped as octal; later ones win.
    """
    best: tuple[int, str | None] = (-1, None)
    for line in mounts.splitlines():
        _, point, kind, *_ = line.split(" ")
        point_path = Path(_unescaped(point))
        if folder.is_relative_to(point_path) and len(point_path.parts) >= best[0]:
            best = (len(point_path.parts), kind)
    return best[1]


def _unescaped(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), text)
