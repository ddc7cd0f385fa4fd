"""The lock file: one process writes to one data folder."""

import fcntl
import os
from pathlib import Path

from duologue.model.errors import StoreError, StoreLocked

LOCK_NAME = "duologue.lock"


class FolderLock:
    """An exclusive `flock` on a file of the folder, which holds our process id.

    The system lets go of it when the process dies in any way, so that no stale lock ever has to be removed.
    """

    def __init__(self, folder: Path) -> None:
        """Take the lock.

        Raises:
            StoreLocked: another store has it.
            StoreError: the folder cannot be written.
        """
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._fd = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreError(
                f"The data folder {folder} cannot be used ({error.strerror}). "
                "Choose another, or give this user permission to write there."
            ) from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(self._fd, 32, 0).decode(errors="replace").strip() or "unknown"
            os.close(self._fd)
            raise StoreLocked(
                f"The data folder {folder} is in use by process {holder}. "
                "Stop that server, or choose another data folder."
            ) from None
        os.ftruncate(self._fd, 0)
        os.pwrite(self._fd, str(os.getpid()).encode(), 0)

    def release(self) -> None:
        """Let go; the file stays, since removing it could split the lock in two."""
        os.ftruncate(self._fd, 0)
        # A forked child may share the descriptor: closing ours alone would not unlock.
        fcntl.flock(self._fd, fcntl.LOCK_UN)
        os.close(self._fd)
