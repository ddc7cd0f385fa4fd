"""Keeps the index in step with the folder, without a restart."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final

from duologue.adapters.agent_knowledge.index import Index
from duologue.adapters.agent_knowledge.markdown import split
from duologue.adapters.agent_knowledge.pages import SUFFIX, File, Scan, Skipped, read_page, scan

SCAN_EVERY_S: Final = 1.0
"""How old a scan may be when a question comes: who saves a page and asks gets the new one."""

log = logging.getLogger(__name__)


class Watch:
    """Reads what is new in a folder into an index. One thread at a time may use it.

    Args:
        folder: a real path.
        clock: seconds that never run backwards.
    """

    def __init__(self, folder: Path, index: Index, *, clock: Callable[[], float]) -> None:
        self._folder = folder
        self._index = index
        self._clock = clock
        self._scanned_s: float | None = None
        self._indexed: dict[str, File] = {}
        self._skipped: dict[str, Skipped] = {}

    def refresh(self) -> tuple[Skipped, ...]:
        """Bring the index up to date, unless the last scan is fresh.

        Returns:
            The files that were not skipped at the scan before this one and are now. Empty in most cases.
        """
        now_s = self._clock()
        if self._scanned_s is not None and now_s - self._scanned_s < SCAN_EVERY_S:
            return ()
        self._scanned_s = now_s
        try:
            found = scan(self._folder)
        except OSError as error:
            # Perhaps it is being replaced: the pages that were read are worth more than none.
            return self._skip({".": Skipped(path=".", reason=f"cannot be listed: {error.strerror}")})
        return self._skip(self._take(found))

    def _take(self, found: Scan) -> dict[str, Skipped]:
        """Index what changed and return all that is skipped."""
        skipped = {item.path: item for item in found.skipped}
        seen = {file.page: file for file in found.files}
        for page in self._indexed.keys() - seen.keys():
            self._forget(page)
        for page, file in seen.items():
            if self._indexed.get(page) != file:
                try:
                    text = read_page(self._folder / (page + SUFFIX))
                except (OSError, ValueError) as error:
                    self._forget(page)
                    reason = str(error.strerror if isinstance(error, OSError) else error)
                    skipped[page + SUFFIX] = Skipped(path=page + SUFFIX, reason=reason)
                    continue
                self._index.replace(page, split(page, text))
                self._indexed[page] = file
        return skipped

    def _forget(self, page: str) -> None:
        self._index.remove(page)
        self._indexed.pop(page, None)

    def _skip(self, skipped: dict[str, Skipped]) -> tuple[Skipped, ...]:
        news = tuple(item for path, item in skipped.items() if self._skipped.get(path) != item)
        self._skipped = skipped
        for item in news:
            log.warning("knowledge_page_skipped", extra={"fields": {"path": item.path, "reason": item.reason}})
        return news
