"""What a judge knows of a session, by its inputs and events alone."""

from tests.simulation.judges.calls import VoiceJudge
from tests.simulation.judges.handoffs import HandoffJudge
from tests.simulation.judges.tools import ToolJudge, Walk

from duologue.model import events as e
from duologue.model.content import Answer, Figures, Interrupt, Message, Modality, ToolResult
from duologue.model.inputs import AnyInput, UserTurn


class Known:
    """What is known as of the last event; the judges of its parts read it and keep it up.

    Attributes:
        taken: the turns that were taken, in order: number, number of the event, and what was said.
        parts: the messages of the open answer.
        earlier: what the tools of its lost runs have done.
        history: what is remembered.
        interrupts: what the person is asked, by its id; `decided` are the ids of what they are asked no more.
        settled_answers: what was decided, and the agent is not told yet.
        observed: what is to be shown, and until when.
        own_calls, waiting: calls of the open answer that the agent's own tools, or a client's, have not returned.
        carried, kept_waiting: those of answers before it.
        risky: calls of the agent's own that do harm twice.
        came: calls of the registry that came to their end in this step.
    """

    def __init__(self) -> None:
        self.tools, self.desk, self.voice = ToolJudge(), HandoffJudge(), VoiceJudge()
        # The session.
        self.seq: int = 0
        self.at_ms: int = 0
        self.subject = ""
        self.silence_ms = self.response_ms = 0
        self.state: e.State = "idle"
        self.before: e.State = "idle"
        self.ended = False
        self.modalities: frozenset[Modality] = frozenset()
        self.history: list[Message] = []
        # Turns.
        self.turn = self.last_turn = self.turns_ended = self.turns_resumed = 0
        self.request_id = self.last_request = ""
        self.taken: list[tuple[int, int, UserTurn]] = []
        self.by_number: dict[int, int] = {}
        self.by_key: dict[str, int] = {}
        self.open_said = UserTurn(text="")
        self.news: UserTurn | None = None
        self.recognised = self.resumed = self.continued = self.passed = False
        self.since = 0
        self.author = ""
        # The open answer.
        self.response, self.last_response = "", "response-0"
        self.used: set[str] = set()
        self.attempt = self.started_ms = self.heard_ms = self.legs = 0
        self.running = self.stopped_within = self.client_plays = False
        self.first_ms: int | None = None
        self.pieces: list[str] = []
        self.length = 0
        self.text_open = self.told_whole = self.no_tokens = False
        self.parts: list[Message] = []
        self.earlier: list[Message] = []
        self.made_at: tuple[int, AnyInput] | None = None
        self.closing: Figures | None = None
        self.held_figures: Figures | None = None
        self.failed = self.retrying = self.retried = False
        # Questions.
        self.interrupts: dict[str, Interrupt] = {}
        self.decided: set[str] = set()
        self.answers: tuple[Answer, ...] = ()
        self.settled_answers: list[Answer] = []
        self.unclear: set[str] = set()
        self.observed: dict[str, tuple[Modality, int]] = {}
        self.expired: set[str] = set()
        self.being_said: set[str] = set()
        self.asked_now: tuple[Interrupt, ...] = ()
        self.asked_cut: int | None = None
        self.asking = False
        # Calls of tools.
        self.own_calls: set[str] = set()
        self.waiting: set[str] = set()
        self.carried: set[str] = set()
        self.kept_waiting: set[str] = set()
        self.done_calls: set[str] = set()
        self.harmless = True
        self.risky: set[str] = set()
        self.results: dict[str, ToolResult] = {}
        self.result_ids: dict[str, str] = {}
        # This step.
        self.started: list[str] = []
        self.stopped: list[str] = []
        self.cut_now: list[str] = []
        self.came: list[Walk] = []
        self.kinds: set[type[e.AnyEvent]] = set()
        self.singly: dict[str, Answer] = {}
        self.failing = False
        self.voided = self.stuck = ""
