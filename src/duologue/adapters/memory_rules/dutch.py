"""What people say of themselves in Dutch."""

from typing import Final

from duologue.adapters.memory_rules.rule import Rule, Tongue, Topic

_RELATIVES: Final = (
    r"(?P<who>vrouw|man|partner|vriendin|vriend|moeder|mama|vader|papa|zus|broer|dochter|zoon|baas|dokter|buurvrouw|buurman|collega"
    r"|oma|opa|tante|oom)"
)
_PETS: Final = r"(?P<who>hond|kat|poes|paard|papegaai|konijn|hamster|vogel)"
_PLANS: Final = r"(?:afspraak|vergadering|gesprek|sollicitatie|examen|vlucht|reis|vakantie|bruiloft|feest|concert|operatie|verhuizing)"

DUTCH: Final = Tongue(
    rules=(
        Rule("fact", "name", 0.9, r"\b(?:ik heet|mijn naam is) {N}", "Naam: {v}"),
        Rule("preference", "call", 0.85, r"\bnoem me (?:maar )?{N}", "Wil {v} genoemd worden"),
        Rule("fact", "home", 0.8, r"\bik woon (?:nu |tegenwoordig )?(?:in|bij) {V}", "Woont in {v}"),
        Rule("fact", "home", 0.8, r"\b(?:ik ben|we zijn) naar (?P<v>[\w -]{2,40}?) verhuisd", "Woont in {v}"),
        Rule("fact", "origin", 0.6, r"\bik kom (?:oorspronkelijk )?uit {V}", "Komt uit {v}"),
        Rule("fact", "job", 0.7, r"\bik werk (?:nu )?als {V}", "Werkt als {v}"),
        Rule("fact", "employer", 0.6, r"\bik werk (?:nu )?(?:bij|voor) {V}", "Werkt bij {v}"),
        Rule("fact", "age", 0.6, r"\bik ben (?P<v>\d{1,3}) jaar(?: oud)?\b", "Is {v} jaar"),
        Rule("fact", "birthday", 0.7, r"\b(?:mijn verjaardag is|ik ben jarig) (?:op )?{V}", "Verjaardag: {v}"),
        Rule(
            "fact",
            "diet:{v}",
            0.9,
            r"\bik (?:ben|eet) (?P<v>vegetariër|vegetarisch|veganist|veganistisch|vegan|diabeet|lactose-intolerant)\b",
            "Is {v}",
        ),
        Rule("fact", "allergy:{v}", 0.95, r"\bik ben (?:erg |heel )?allergisch voor {V}", "Allergisch voor {v}"),
        Rule("entity", "person:{who}", 0.65, rf"\bmijn {_RELATIVES} heet {{N}}", "{who}: {v}"),
        Rule("entity", "pet:{who}", 0.6, rf"\b(?:mijn|onze|ons) {_PETS} heet {{N}}", "{who}: {v}"),
        Rule(
            "fact",
            "has:{what}",
            0.5,
            r"\b(?:ik heb|we hebben|wij hebben) (?P<n>een|twee|drie|vier) (?P<what>hond(?:en)?|kat(?:ten)?|kind(?:eren)?|zoons?|dochters?|auto's?|auto|huis|tuin|broers?|zussen)\b",
            "Heeft {n} {what}",
        ),
        Rule("preference", "taste:{v}", 0.5, r"\bik hou(?:d)? (?:erg |veel |heel )?van {V}", "Houdt van {v}"),
        Rule("preference", "taste:{v}", 0.5, r"\bik (?:eet|drink|lees|luister) graag {V}", "Houdt van {v}"),
        Rule(
            "preference",
            "preference:{v}",
            0.6,
            r"\bik (?:heb|neem|drink|eet) (?:liever|het liefst) {V}",
            "Heeft liever {v}",
        ),
        Rule("preference", "taste:{v}", 0.55, r"\bik (?:haat|hou niet van|houd niet van) {V}", "Houdt niet van {v}"),
        Rule("fact", "diet:{v}", 0.7, r"\bik (?:eet|drink) geen {V}", "Neemt geen {v}"),
        Rule(
            "event",
            "",
            0.6,
            rf"\b(?:ik heb|we hebben) (?P<v>[^.!?]{{0,40}}{_PLANS}[^.!?]{{0,50}})",
            "Heeft {v}",
            timed=True,
        ),
        Rule(
            "event",
            "",
            0.6,
            r"\b(?:ik|we|wij) (?P<v>(?:vlieg|vliegen|ga|gaan|reis|reizen|verhuis|verhuizen|trouw|trouwen) [^.!?]{2,70})",
            "{v}",
            timed=True,
        ),
    ),
    over=(
        Rule("fact", "home", 0, r"\bik woon niet meer in {V}", ""),
        Rule("fact", "employer", 0, r"\bik werk niet meer (?:bij|voor) {V}", ""),
        Rule("fact", "diet:", 0, r"\bik ben geen (?P<v>vegetariër|veganist)", ""),
    ),
    stops=r"en|maar|omdat|want|sinds|dus|die|dat|als|waar|met|voor|ook|nu|heel|graag|of|dan|gisteren|vandaag|morgen|niet meer",
    times=r"(?:vandaag|morgen|overmorgen|gisteren|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|(?:volgende|vorige|deze|komende) (?:week|maand|jaar|zomer|winter|weekend)|over (?:een|twee|drie|\d+) (?:dag(?:en)?|we(?:ek|ken)|maand(?:en)?|jaar|uur)|geleden|januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december|om \d{1,2}|\d{1,2} uur|kerst|pasen)",
    unless=r"(?:als|stel|wie|wat|wanneer|waar|hoe|waarom|welke)\b",
    not_values=r"(?:het|dat|dit|jou|jullie|weten|hoe|het idee|hier|daar|niet|geen)\b",
    articles=r"(?:de|het|een|mijn)\s+",
    fillers=r"\b(?:ik|ben|is|was|mijn|mij|me|de|het|een|dat|heb|heeft|van|voor|over|in|we|wij|ons|onze|jij|je|hou|woon|werk|bij|heet|eet|drink|als)\b",
    remember=r"\b(?:onthoud|onthou|denk eraan|vergeet niet|noteer)(?: alsjeblieft)?[,:]?(?: dat)? (?P<v>.{3,250})",
    forget=r"\b(?:vergeet|wis|verwijder)(?! niet)(?: alsjeblieft)?[,:]?(?: dat)? (?P<v>.{2,200})",
    everything=r"alles(?: wat (?:je|u) (?:weet|hebt onthouden))?(?: (?:over|van) (?:mij|me))?(?: weet)?|al mijn gegevens|(?:mij|me)",
    nothing=r"(?:het|dat|dit|wat ik (?:net )?zei|de laatste (?:vraag|bericht))\b",
    topics=(
        Topic(r"(?:mijn (?:adres|stad|woonplaats)|waar ik woon)", ("home", "household")),
        Topic(r"(?:mijn naam|hoe ik heet)", ("name", "call")),
        Topic(r"(?:mijn werk|mijn baan|waar ik werk)", ("job", "employer")),
        Topic(r"(?:mijn leeftijd|mijn verjaardag)", ("age", "birthday")),
        Topic(r"(?:mijn voorkeuren|waar ik van hou)", ("taste:", "preference:", "favourite:")),
        Topic(r"mijn allergieën", ("allergy:",)),
    ),
    said="{text} (gezegd op {day})",
    told="Te onthouden: {v}",
    relations={"mama": "moeder", "papa": "vader"},
)
