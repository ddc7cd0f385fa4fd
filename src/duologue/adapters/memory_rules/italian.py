"""What people say of themselves in Italian."""

from typing import Final

from duologue.adapters.memory_rules.rule import Rule, Tongue, Topic

_RELATIVES: Final = (
    r"(?P<who>moglie|marito|compagna|compagno|ragazza|ragazzo|fidanzata|fidanzato|madre|mamma|padre|papà|sorella|fratello|figlia"
    r"|figlio|capo|medico|vicina|vicino|amica|amico|collega|nonna|nonno|zia|zio)"
)
_PETS: Final = r"(?P<who>cane|cagnolina|gatto|gatta|cavallo|pappagallo|coniglio|criceto)"
_PLANS: Final = r"(?:appuntamento|riunione|colloquio|esame|volo|treno|viaggio|vacanza|matrimonio|festa|concerto|operazione|trasloco)"

ITALIAN: Final = Tongue(
    rules=(
        Rule("fact", "name", 0.9, r"\b(?:mi chiamo|il mio nome è) {N}", "Nome: {v}"),
        Rule("preference", "call", 0.85, r"\b(?:chiamami|mi chiami) {N}", "Vuole essere chiamato {v}"),
        Rule(
            "fact", "home", 0.8, r"\b(?:abito|vivo) (?:ora |adesso |attualmente )?(?:a|in|vicino a) {V}", "Vive a {v}"
        ),
        Rule("fact", "home", 0.8, r"\b(?:mi sono trasferit[oa]|ci siamo trasferiti) (?:a|in) {V}", "Vive a {v}"),
        Rule("fact", "origin", 0.6, r"\b(?:vengo da|sono di|sono originari[oa] di) {V}", "Viene da {v}"),
        Rule("fact", "job", 0.7, r"\blavoro (?:ora )?come {V}", "Lavora come {v}"),
        Rule("fact", "employer", 0.6, r"\blavoro (?:ora )?(?:per|presso|da) {V}", "Lavora per {v}"),
        Rule("fact", "age", 0.6, r"\bho (?P<v>\d{1,3}) anni\b", "Ha {v} anni"),
        Rule("fact", "birthday", 0.7, r"\bil mio compleanno è (?:il )?{V}", "Compleanno: {v}"),
        Rule(
            "fact",
            "diet:{v}",
            0.9,
            r"\bsono (?P<v>vegetarian[oa]|vegan[oa]|diabetic[oa]|celiac[oa]|intollerante al lattosio|intollerante al glutine)\b",
            "È {v}",
        ),
        Rule(
            "fact",
            "allergy:{v}",
            0.95,
            r"\bsono (?:molto )?allergic[oa] (?:alla |alle |ai |agli |al |all'|a ){V}",
            "Allergia: {v}",
        ),
        Rule(
            "entity", "person:{who}", 0.65, rf"\b(?:mia|mio|la mia|il mio) {_RELATIVES} si chiama {{N}}", "{who}: {v}"
        ),
        Rule(
            "entity",
            "pet:{who}",
            0.6,
            rf"\b(?:il mio|la mia|il nostro|la nostra) {_PETS} si chiama {{N}}",
            "{who}: {v}",
        ),
        Rule(
            "fact",
            "has:{what}",
            0.5,
            r"\b(?:ho|abbiamo) (?P<n>un[oa]?|due|tre|quattro) (?P<what>can[ei]|gatt[oi]|figli[oae]?|macchin[ae]|casa|giardino|fratell[oi]|sorell[ae])\b",
            "Ha {n} {what}",
        ),
        Rule("preference", "taste:{v}", 0.5, r"(?<!non )\bmi (?:piace|piacciono) (?:molto )?{V}", "Gli piace {v}"),
        Rule("preference", "taste:{v}", 0.5, r"\b(?:amo|adoro) {V}", "Gli piace {v}"),
        Rule("preference", "preference:{v}", 0.6, r"\bpreferisco {V}", "Preferisce {v}"),
        Rule("preference", "taste:{v}", 0.55, r"\b(?:odio|detesto|non sopporto) {V}", "Non gli piace {v}"),
        Rule("preference", "taste:{v}", 0.5, r"\bnon mi (?:piace|piacciono) {V}", "Non gli piace {v}"),
        Rule("fact", "diet:{v}", 0.7, r"\bnon (?:mangio|bevo) {V}", "Non consuma {v}"),
        Rule(
            "event", "", 0.6, rf"\b(?:ho|abbiamo) (?P<v>(?:un |una |un')?{_PLANS}[^.!?]{{0,60}})", "Ha {v}", timed=True
        ),
        Rule(
            "event",
            "",
            0.6,
            r"\b(?:vado|parto|andiamo|partiamo|volo|mi trasferisco|mi sposo) ?(?P<v>[^.!?]{2,70})",
            "Parte {v}",
            timed=True,
        ),
    ),
    over=(
        Rule("fact", "home", 0, r"\bnon (?:abito|vivo) più (?:a|in) {V}", ""),
        Rule("fact", "employer", 0, r"\bnon lavoro più (?:per|presso|da) {V}", ""),
        Rule("fact", "diet:", 0, r"\bnon sono più (?P<v>vegetarian[oa]|vegan[oa])", ""),
    ),
    stops=r"e|ed|ma|perché|da|così|che|quando|se|dove|con|per|anche|ora|adesso|molto|o|allora|ieri|domani|oggi",
    times=r"(?:oggi|domani|dopodomani|ieri|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|(?:la )?settimana (?:prossima|scorsa)|(?:il )?(?:mese|anno) (?:prossimo|scorso)|quest[ao'] ?(?:settimana|mese|anno|estate|inverno)|tra (?:un[oa]?|due|tre|\d+) (?:giorn[oi]|settiman[ae]|mes[ei]|ann[oi]|or[ae])|fa\b|gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre|alle \d{1,2}|il \d{1,2}|natale|pasqua)",
    unless=r"(?:se|immagina|supponiamo|chi|che cosa|cosa|quando|dove|come|perché|quale)\b",
    not_values=r"(?:questo|quello|ciò|sapere|che|come|l'idea|qui|lì|non|il tuo|la tua)\b",
    articles=r"(?:il|lo|la|i|gli|le|un|uno|una|mio|mia)\s+|l'",
    fillers=r"\b(?:io|sono|è|mio|mia|miei|mi|me|il|lo|la|i|gli|le|un|una|che|ho|ha|di|del|a|al|in|noi|nostro|tuo|su|piace)\b",
    remember=r"\b(?:ricorda(?:ti)?|ricordi|tieni a mente|annota|non dimenticare)(?: per favore)?[,:]?(?: di)?(?: che)? (?P<v>.{3,250})",
    forget=r"(?<!non )\b(?:dimentica|dimentichi|cancella|cancelli|elimina)[,:]?(?: di)?(?: che)? (?P<v>.{2,200})",
    everything=r"tutto(?: (?:quello|ciò) che (?:sai|sa|hai memorizzato|ti ho detto))?(?: (?:di|su) me)?|tutti i miei dati|(?:di )?me",
    nothing=r"(?:questo|quello|ciò che ho detto|l'ultima (?:domanda|richiesta))\b",
    topics=(
        Topic(r"(?:il mio indirizzo|la mia città|dove (?:abito|vivo))", ("home", "household")),
        Topic(r"(?:il mio nome|come mi chiamo)", ("name", "call")),
        Topic(r"(?:il mio lavoro|dove lavoro)", ("job", "employer")),
        Topic(r"(?:la mia età|il mio compleanno)", ("age", "birthday")),
        Topic(r"(?:i miei gusti|le mie preferenze|cosa mi piace)", ("taste:", "preference:", "favourite:")),
        Topic(r"le mie allergie", ("allergy:",)),
    ),
    said="{text} (detto il {day})",
    told="Da ricordare: {v}",
    relations={"mamma": "madre", "papà": "padre"},
)
