"""Which files of a folder are pages, and reads them. The agent and the server's docs share this."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from duologue.model.base import Value
from duologue.model.errors import SettingsError

FILES: Final = 2_000
"""Most pages of a folder: a scan of them takes about 10 ms, once a second at most."""

FILE_BYTES: Final = 2**20
"""Largest page: a book of 500 pages of paper fits, and is split within about a second."""

FOLDER_BYTES: Final = 16 * 2**20
"""Most text of a folder: the first question waits until it is read, at about 1 MB a second, and the index
takes about six times as much memory."""

ENTRIES: Final = 50_000
"""Most directory entries that a scan looks at: a folder that was named by mistake must not stop the agent."""

SUFFIX: Final = ".md"


class File(Value, frozen=True, kw_only=True):
    """A page's file as a scan saw it; when any of it differs, the file has changed.

    Attributes:
        page: its path below the folder, with `/` and without `.md`.
    """

    page: str
    mtime_ns: int
    size_bytes: int
    inode: int


class Skipped(Value, frozen=True, kw_only=True):
    """A file that is not used, and why."""

    path: str
    reason: str


class Scan(Value, frozen=True, kw_only=True):
    """The pages of a folder, in order of their names."""

    files: tuple[File, ...]
    skipped: tuple[Skipped, ...]


def open_folder(folder: Path) -> Path:
    """Check that it is a folder and return its real path.

    Raises:
        SettingsError: there is none, or it is a file.
    """
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "does not exist"
        raise SettingsError(
            f"the folder of pages {str(folder)!r} {what}; make it and put Markdown files (*.md) in it, "
            "or name another folder in the settings"
        )
    return folder.resolve()


def scan(folder: Path) -> Scan:
    """List the pages below a folder; `folder` is a real path.

    Names that begin with a dot, and links that lead out of the folder, are not pages.

    Raises:
        OSError: the folder itself cannot be read.
    """
    files: list[File] = []
    skipped: list[Skipped] = []
    total_bytes = 0
    for path, status in _markdown_files(folder, skipped):
        name = path.relative_to(folder).as_posix()
        reason = _too_much(status.st_size, files=len(files), total_bytes=total_bytes)
        if reason is None and not path.resolve().is_relative_to(folder):
            reason = "is a link that leads out of the folder"
        if reason is not None:
            skipped.append(Skipped(path=name, reason=reason))
            continue
        total_bytes += status.st_size
        files.append(
            File(
                page=name.removesuffix(SUFFIX),
                mtime_ns=status.st_mtime_ns,
                size_bytes=status.st_size,
                inode=status.st_ino,
            )
        )
    return Scan(files=tuple(files), skipped=tuple(skipped))


def find_file(folder: Path, name: str) -> Path | None:
    """Find a file below a folder by a name that a stranger wrote.

    Returns:
        Its real path, or `None` where the name is malformed or hidden, or leads out of the folder or nowhere.
    """
    parts = name.split("/")
    if any(not part or part.startswith(".") for part in parts) or any(char in name for char in "\\\0"):
        return None
    try:
        root = folder.resolve()
        path = root.joinpath(*parts).resolve()
        inside = path.is_relative_to(root) and path.is_file()
    except (OSError, ValueError):  # Too long a name, or characters that the file system does not take.
        return None
    return path if inside else None


def read_page(path: Path) -> str:
    """Read a page's text.

    Raises:
        OSError: it cannot be read.
        ValueError: it is too large or not UTF-8; the message says which.
    """
    with path.open("rb") as file:
        data = file.read(FILE_BYTES + 1)
    if len(data) > FILE_BYTES:
        raise ValueError(f"is larger than {FILE_BYTES} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8 (byte {error.start})") from error


def _too_much(size_bytes: int, *, files: int, total_bytes: int) -> str | None:
    if files >= FILES:
        return f"is beyond the {FILES} pages that a folder may have"
    if size_bytes > FILE_BYTES:
        return f"is larger than {FILE_BYTES} bytes"
    if total_bytes + size_bytes > FOLDER_BYTES:
        return f"is beyond the {FOLDER_BYTES} bytes that a folder may have"
    return None


def _markdown_files(folder: Path, skipped: list[Skipped]) -> Iterator[tuple[Path, os.stat_result]]:
    """Walk a folder in order of names, files of a folder before its subfolders."""
    seen = 0
    os.scandir(folder).close()  # The walk itself passes over a folder that cannot be read.
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        seen += len(folders) + len(names)
        if seen > ENTRIES:
            where = Path(root).relative_to(folder).as_posix()
            skipped.append(Skipped(path=where, reason=f"and all after it: over {ENTRIES} directory entries"))
            return
        for name in sorted(names):
            if name.endswith(SUFFIX) and not name.startswith("."):
                path = Path(root, name)
                try:
                    status = path.stat()
                except OSError as error:  # A dangling link, or removed since.
                    reason = f"cannot be read: {error.strerror}"
                    skipped.append(Skipped(path=path.relative_to(folder).as_posix(), reason=reason))
                    continue
                yield path, status
