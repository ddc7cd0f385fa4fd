"""The ports through which Duologue remembers people across sessions: where it is kept, how it is learnt and found."""

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

from duologue.model.base import Value
from duologue.model.content import Message
from duologue.model.memory import MemoryKind

Vector: TypeAlias = tuple[float, ...]
"""What a text means, as an embedding model says it."""


class Learnt(Value, kw_only=True):
    """Something that was learnt of a person from one turn.

    Attributes:
        text: one sentence without a subject, such as `Lives in Berlin`; at most `limits.MEMORY_TEXT_CHARS`.
        importance: 0 to 1.
        key: what it is about, such as `home` or `taste:coffee`: of two with the same key the later one is true. Empty:
            it stands beside all others.
        words: further words by which it is to be found, in whatever language, divided by spaces.
        expires_ms: when it is worth nothing any more, ms since 1970; `None` for never.
    """

    kind: MemoryKind
    text: str
    importance: float
    key: str = ""
    words: str = ""
    expires_ms: int | None = None


class Forget(Value, kw_only=True):
    """Something that the person wants forgotten.

    Attributes:
        everything: all that is known of them.
        keys: what is about one of these; one that ends with `:` stands for all that begin with it.
        words: what holds all of these words; with `keys`, of those only what holds them. Empty: no word has to be held.
        memory_ids: these.
    """

    everything: bool = False
    keys: tuple[str, ...] = ()
    words: str = ""
    memory_ids: tuple[str, ...] = ()


class Extracted(Value, kw_only=True):
    """What one turn says of a person: first it is forgotten, then remembered."""

    learnt: tuple[Learnt, ...] = ()
    forget: tuple[Forget, ...] = ()


class Remembered(Value, kw_only=True):
    """Something that is kept of a person. Times in ms since 1970.

    Attributes:
        memory_id: unguessable, never used again.
        session_id: where it was learnt or last confirmed.
        turn: in which turn of it.
        created_ms: when it was first learnt.
        at_ms: when it was last learnt or confirmed.
        recalled_ms: when an agent was last given it; 0 for never.
        recalls: how often.
    """

    memory_id: str
    kind: MemoryKind
    text: str
    importance: float
    key: str = ""
    session_id: str
    turn: int
    created_ms: int
    at_ms: int
    recalled_ms: int = 0
    recalls: int = 0
    expires_ms: int | None = None


class Found(Value, kw_only=True):
    """A memory that may matter to what was said.

    Attributes:
        relevance: 0 to 1: how much of what was said it is about; 0 where only its importance speaks for it.
    """

    memory: Remembered
    relevance: float


class Told(Value, kw_only=True):
    """What is still to be told in a session of one of its turns: something was stored, or `count` were forgotten.

    It holds no words of anybody.

    Attributes:
        number: its id in the memory.
        memory_id: empty where something was forgotten.
        superseded: the memories in whose place it stands.
    """

    number: int
    session_id: str
    turn: int
    memory_id: str = ""
    kind: MemoryKind = "fact"
    importance: float = 0.0
    superseded: tuple[str, ...] = ()
    count: int = 0


class Policy(Value, kw_only=True):
    """What is kept; `model/limits/` has the reasons of the defaults.

    Attributes:
        items: most memories of one person: what is least important and was not needed for longest goes first.
        age_ms: how long one is kept that is neither confirmed nor recalled; 0 for ever.
        importance: below it nothing is kept.
    """

    items: int
    age_ms: int
    importance: float


class Page(Value, kw_only=True):
    """Which memories are listed, the newest first.

    Attributes:
        session_id: only those that were learnt there.
        after: only what follows the memory of this id in the list.
        text: only those that hold all of these words.
    """

    kind: MemoryKind | None = None
    session_id: str | None = None
    text: str = ""
    after: str | None = None
    limit: int = 100


Whose: TypeAlias = Literal["person", "session"]
"""Who wants nothing to be remembered: a person at all, or in one session."""


class Memory(Protocol):
    """Keeps what is remembered of people, and how far each session has been looked through.

    Every method may raise `StoreError`, whose message says what to do; nothing was then changed. Every method is safe
    to cancel; a write that had started is finished. People are known by their subject, and nobody is ever given
    anything of another's.
    """

    async def open(self, *, create: bool) -> bool:
        """Open it; where nothing is there it is made or, unless `create`, left alone.

        Returns:
            Whether it is open. Harmless when called again.
        """
        ...

    async def close(self) -> None:
        """Let go of everything. Harmless when called again."""
        ...

    async def began_ms(self, now_ms: int) -> int:
        """When this was first asked, ms since 1970: what was said before is not looked through."""
        ...

    async def covered_ms(self) -> int | None:
        """Before when every changed session has been noted; `None` where `cover` was never called."""
        ...

    async def cover(self, ms: int) -> None:
        """Remember that."""
        ...

    async def note(self, session_id: str, *, subject: str, seq: int) -> None:
        """Note that a session is to be looked through after event `seq`, unless it is known already."""
        ...

    async def place(self, session_id: str) -> int | None:
        """The last event that was looked at in a session; `None` where it is not known."""
        ...

    async def keep(
        self,
        session_id: str,
        *,
        subject: str,
        turn: int,
        seq: int,
        extracted: Extracted,
        vectors: Sequence[Vector | None],
        policy: Policy,
        now_ms: int,
    ) -> Sequence[Told]:
        """Take what a turn says, in one piece, and note that the session has been looked through up to event `seq`.

        What is known is confirmed and not kept twice; what has the key of another takes its place. A turn that is not
        after the last one that was taken is passed over: only the place is noted.

        Args:
            vectors: what each of `extracted.learnt` means; `None` where that is not known.
            policy: what is kept of it, and of what there was.
        Returns:
            What is to be told in the session; it is kept until `told` says that it was.
        """
        ...

    async def untold(self, session_id: str | None = None, *, limit: int = 100) -> Sequence[Told]:
        """What is still to be told, in one session or anywhere, the oldest first."""
        ...

    async def told(self, numbers: Sequence[int]) -> None:
        """Take it that these were told, or never can be."""
        ...

    async def find(
        self,
        subject: str,
        *,
        text: str,
        vector: Vector | None,
        most: int,
        now_ms: int,
        without: Sequence[Forget] = (),
    ) -> Sequence[Found]:
        """Find what may matter to a text: what shares words or meaning with it, and what is important anyway.

        Args:
            vector: what the text means, from the model that made the memories' vectors; `None` goes by words alone.
            most: at most so many by each of the three.
            without: what these would remove is not found.
        Returns:
            In no order; nothing that has expired.
        """
        ...

    async def recalled(self, memory_ids: Sequence[str], *, now_ms: int) -> None:
        """Note that an agent was given these."""
        ...

    async def count(self, subject: str, session_id: str | None = None) -> int:
        """How many memories there are of a person, or of those what came from one session."""
        ...

    async def listed(self, subject: str, page: Page) -> Sequence[Remembered]:
        """List memories of a person, the latest learnt or confirmed first."""
        ...

    async def get(self, subject: str, memory_id: str) -> Remembered | None:
        """Read one of a person's; `None` where they have no such one."""
        ...

    async def forget(self, subject: str, forget: Forget) -> int:
        """Remove memories of a person beyond recovery from the memory's own files; returns how many."""
        ...

    async def forget_subject(self, subject: str) -> int:
        """Remove everything about a person as `forget`, also that they want nothing remembered; returns how many."""
        ...

    async def forget_sessions(self, session_ids: Sequence[str]) -> int:
        """Remove what was learnt in sessions and nowhere else, as `forget`, and their places; returns how many."""
        ...

    async def set_off(self, whose: Whose, name: str, *, off: bool) -> None:
        """Note whether a person (by subject) or a session (by id) wants nothing remembered."""
        ...

    async def is_off(self, subject: str, session_id: str | None = None) -> bool:
        """Whether nothing is to be remembered of or recalled for a person, or in a session of theirs."""
        ...

    async def tidy(self, *, policy: Policy, now_ms: int) -> int:
        """Remove what has expired or the policy does not keep any more, as `forget`; returns how many."""
        ...

    async def without_vector(self, *, limit: int) -> Sequence[tuple[str, str]]:
        """Memories whose meaning the present embedding model has not told: their ids and texts."""
        ...

    async def set_vectors(self, vectors: Sequence[tuple[str, Vector]]) -> None:
        """Note what memories mean, by id; those that are gone are passed over."""
        ...

    async def total(self) -> int:
        """How many memories there are in all."""
        ...


class Said(Value, kw_only=True):
    """A turn that is over, to be learnt from.

    Attributes:
        text: what the person said.
        answer: what was answered.
        language: BCP 47 tag.
        before: what was said just before, oldest first; for understanding alone.
        known: what is kept already and may be meant, for telling what is new.
        now_ms: when the turn ended, ms since 1970.
    """

    text: str
    answer: str = ""
    language: str = "en"
    before: tuple[Message, ...] = ()
    known: tuple[Remembered, ...] = ()
    now_ms: int


class Wishes(Protocol):
    """Tells at once what somebody wants forgotten, before they are answered."""

    async def wishes(self, text: str, *, language: str) -> Sequence[Forget]:
        """What a text asks to forget; it never raises. Cancellation: safe."""
        ...


class MemoryExtractor(Protocol):
    """Finds what a turn says of the person that is worth remembering."""

    @property
    def name(self) -> str:
        """A short name for logs."""
        ...

    async def extract(self, said: Said) -> Extracted:
        """Look through a turn. It never blocks the loop for more than 5 ms.

        Returns:
            At most `limits.MEMORY_LEARNT` memories. Only what the person said of themselves, never secrets.
        Raises:
            MemoryFailed: it cannot be told now; the turn may be looked through again.
        Cancellation: safe.
        """
        ...

    async def aclose(self) -> None:
        """Let go of what it holds."""
        ...


class Embedder(Protocol):
    """Tells what texts mean."""

    @property
    def name(self) -> str:
        """Which model it is: vectors of different ones cannot be compared."""
        ...

    async def embed(self, texts: Sequence[str]) -> Sequence[Vector]:
        """What each text means, in order; all of the same length.

        Args:
            texts: at most `limits.MEMORY_EMBED_TEXTS`.
        Raises:
            MemoryFailed: it cannot be told now.
        Cancellation: safe; the connection is closed.
        """
        ...

    async def aclose(self) -> None:
        """Let go of what it holds."""
        ...
