"""What people say of themselves in German."""

from typing import Final

from duologue.adapters.memory_rules.rule import Rule, Tongue, Topic

_VERY: Final = (
    r"(?:(?:wirklich|auch|sehr|total|immer|am liebsten|besonders|eigentlich|nur|jetzt|derzeit|zurzeit|noch) )*"
)
_RELATIVES: Final = (
    r"(?P<who>Frau|Mann|Partnerin|Partner|Freundin|Freund|Mutter|Mama|Vater|Papa|Bruder|Schwester|Sohn|Tochter|Chefin|Chef"
    r"|Arzt|Ärztin|Nachbarin|Nachbar|Kollegin|Kollege|Oma|Opa|Tante|Onkel|Enkelin|Enkel)"
)
_PETS: Final = r"(?P<who>Hund|Hündin|Katze|Kater|Pferd|Papagei|Hase|Kaninchen|Hamster|Vogel)"
_PLANS: Final = (
    r"(?:\w*[Tt]ermin|Treffen|Besprechung|Vorstellungsgespräch|Prüfung|Klausur|Flug|Reise|Urlaub|Hochzeit|Feier|Konzert"
    r"|Operation|OP|Umzug|Vortrag)"
)

GERMAN: Final = Tongue(
    rules=(
        Rule("fact", "name", 0.9, r"\bmein (?:voller )?Name ist {N}", "Name: {v}"),
        Rule("fact", "name", 0.9, r"\bich hei(?:ß|ss)e {N}", "Name: {v}"),
        Rule("preference", "call", 0.85, r"\bnenn(?:e|en Sie)? mich (?:bitte )?{N}", "Möchte {v} genannt werden"),
        Rule("fact", "home", 0.8, rf"\b(?:ich )?(?:wohne|lebe) (?:ich )?{_VERY}(?:in|bei) {{V}}", "Wohnt in {v}"),
        Rule(
            "fact",
            "home",
            0.8,
            r"\b(?:ich bin|wir sind) (?:gerade |kürzlich |vor kurzem )?nach (?P<v>[\w -]{2,40}?) gezogen",
            "Wohnt in {v}",
        ),
        Rule("fact", "origin", 0.6, r"\bich (?:komme|stamme) (?:ursprünglich )?aus {V}", "Kommt aus {v}"),
        Rule("fact", "job", 0.7, r"\bich arbeite (?:jetzt |derzeit )?als {V}", "Arbeitet als {v}"),
        Rule(
            "fact",
            "job",
            0.65,
            r"\bich bin (?:von Beruf )?(?P<v>(?:\w+)?(?:lehrer|lehrerin|arzt|ärztin|ingenieur|ingenieurin|entwickler|entwicklerin|student|studentin|anwalt|anwältin|koch|köchin|pfleger|pflegerin|architekt|architektin|verkäufer|verkäuferin|mechaniker|friseurin|friseur|elektriker|journalist|journalistin|rentner|rentnerin|beamter|beamtin))\b",
            "Ist {v}",
        ),
        Rule("fact", "employer", 0.6, r"\bich arbeite (?:jetzt |derzeit )?(?:bei|für) {V}", "Arbeitet bei {v}"),
        Rule(
            "fact",
            "age",
            0.6,
            r"\bich bin (?P<v>\d{1,3})(?: Jahre alt)?(?=[,.! ]|$)(?! (?:Minuten|Stunden|Tage|km|cm|Meter))",
            "Ist {v} Jahre alt",
        ),
        Rule(
            "fact",
            "birthday",
            0.7,
            r"\b(?:mein Geburtstag ist|ich habe) (?:am )?(?P<v>\d{1,2}\. ?\w+)(?: Geburtstag)?",
            "Geburtstag: {v}",
        ),
        Rule(
            "fact",
            "diet:{v}",
            0.9,
            r"\bich (?:bin|lebe|esse) (?P<v>vegetarisch|vegan|Vegetarier(?:in)?|Veganer(?:in)?|Diabetiker(?:in)?|laktoseintolerant|glutenintolerant)\b",
            "Ist {v}",
        ),
        Rule(
            "fact",
            "allergy:{v}",
            0.95,
            r"\bich bin (?:auch |sehr |stark )?allergisch (?:gegen|auf) {V}",
            "Allergisch gegen {v}",
        ),
        Rule("fact", "allergy:{v}", 0.95, r"\bich habe eine (?:starke )?(?P<v>\w+)allergie\b", "Allergisch gegen {v}"),
        Rule("fact", "marital", 0.6, r"\bich bin (?P<v>verheiratet|ledig|geschieden|verwitwet|verlobt)\b", "Ist {v}"),
        Rule("entity", "person:{who}", 0.65, rf"\bmein(?:e)? {_RELATIVES} hei(?:ß|ss)t {{N}}", "{who}: {v}"),
        Rule("entity", "pet:{who}", 0.6, rf"\b(?:mein|unser)e? {_PETS} hei(?:ß|ss)t {{N}}", "{who}: {v}"),
        Rule(
            "fact",
            "has:{what}",
            0.5,
            r"\b(?:ich habe|wir haben) (?P<n>einen?|eine|ein|zwei|drei|vier|fünf) (?P<what>Hunde?|Katzen?|Kinder|Kind|Söhne|Sohn|Töchter|Tochter|Autos?|Haus|Garten|Geschwister)\b",
            "Hat {n} {what}",
        ),
        Rule(
            "preference",
            "taste:{v}",
            0.5,
            rf"\bich (?:mag|liebe) {_VERY}(?!nicht|kein)(?:gern(?:e)? )?{{V}}",
            "Mag {v}",
        ),
        Rule(
            "preference",
            "taste:{v}",
            0.5,
            rf"\bich (?P<verb>esse|trinke|höre|lese|spiele) {_VERY}gern(?:e)? {{V}}",
            "Mag {v}",
        ),
        Rule(
            "preference",
            "preference:{v}",
            0.6,
            rf"\bich (?:bevorzuge|(?:esse|trinke|nehme|fliege|fahre) {_VERY}lieber) {{V}}",
            "Bevorzugt {v}",
        ),
        Rule("preference", "taste:{v}", 0.55, rf"\bich hasse {_VERY}{{V}}", "Mag {v} nicht"),
        Rule("preference", "taste:{v}", 0.55, r"\bich mag (?:keine[nms]?|kein) {V}", "Mag {v} nicht"),
        Rule(
            "preference",
            "taste:{v}",
            0.5,
            r"\bich mag (?P<v>[\w -]{2,40}?) (?:überhaupt |gar )?nicht\b",
            "Mag {v} nicht",
        ),
        Rule(
            "fact",
            "diet:{v}",
            0.7,
            r"\bich (?P<verb>esse|trinke) (?:keine[nms]?|kein) {V}",
            "Isst oder trinkt nicht: {v}",
        ),
        Rule(
            "preference",
            "favourite:{what}",
            0.6,
            r"\b(?:meine?|mein) Lieblings-?(?P<what>[\wäöüß]{2,25}) (?:ist|sind|heißt) {V}",
            "Lieblings{what}: {v}",
        ),
        Rule(
            "preference",
            "manner:{verb}",
            0.75,
            r"\b(?P<verb>antworte|sprich|schreib|erkläre|antworten Sie|sprechen Sie|schreiben Sie) (?:mir )?(?:bitte )?(?P<how>immer|nie) {V}",
            "Wunsch: {how} {v} ({verb})",
        ),
        Rule(
            "event",
            "",
            0.6,
            rf"\b(?:ich habe|wir haben|ich hab) (?P<v>[^.!?]{{0,40}}{_PLANS}[^.!?]{{0,50}})",
            "Hat {v}",
            timed=True,
        ),
        Rule(
            "event",
            "",
            0.6,
            rf"\b(?:mein|meine|unser|unsere) (?P<v>{_PLANS} (?:ist|findet|beginnt) [^.!?]{{1,60}})",
            "{v}",
            timed=True,
        ),
        Rule(
            "event",
            "",
            0.6,
            r"\b(?:ich|wir) (?P<v>(?:fliege|fliegen|reise|reisen|fahre|fahren|ziehe|ziehen|heirate|heiraten|beginne|beginnen) [^.!?]{2,70})",
            "{v}",
            timed=True,
        ),
        Rule(
            "event",
            "",
            0.5,
            r"\b(?:ich|wir) (?:habe|haben) (?P<v>[^.!?]{2,60} (?:gekauft|bestellt|gebucht|verloren|verkauft|bestanden|gekündigt|besucht))\b",
            "Hat {v}",
            timed=True,
        ),
    ),
    over=(
        Rule("fact", "home", 0, r"\bich (?:wohne|lebe) (?:nicht mehr|nicht länger) (?:in|bei) {V}", ""),
        Rule("fact", "home", 0, r"\bich (?:wohne|lebe) in (?P<v>[\w -]{2,40}?) nicht mehr", ""),
        Rule("fact", "employer", 0, r"\bich arbeite nicht mehr (?:bei|für) {V}", ""),
        Rule("fact", "job", 0, r"\bich arbeite nicht mehr als {V}", ""),
        Rule(
            "fact",
            "diet:",
            0,
            r"\bich (?:bin|lebe|esse) (?:nicht mehr|kein(?:e)?) (?P<v>vegetarisch|vegan|Vegetarier(?:in)?|Veganer(?:in)?)",
            "",
        ),
        Rule("fact", "allergy:", 0, r"\bich bin (?:nicht mehr|nicht) allergisch gegen {V}", ""),
    ),
    stops=r"bei|und|aber|weil|da|denn|seit|sodass|so dass|der|die|das|welche[rs]?|wenn|wo|obwohl|auch|nicht mehr|jetzt|zurzeit|derzeit|sehr|bitte|oder|dann|mit|für|gestern|heute|morgen|bin|habe|arbeite",
    times=r"(?:heute|morgen|übermorgen|gestern|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|(?:nächste|letzte|diese|kommende|vorige)[nrsm]? (?:woche|monat|jahr|wochenende|sommer|winter|frühling|herbst)|in (?:einer|einem|zwei|drei|vier|\d+) (?:tagen?|wochen?|monaten?|jahren?|stunden?)|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|\d{1,2}(?::\d\d)? ?uhr|\d{1,2}\.\d{1,2}|am \d{1,2}\.|vor (?:einer|einem|zwei|drei|\d+)|weihnachten|ostern)",
    unless=r"(?:wenn|falls|angenommen|stell dir vor|was wäre|wer|wie|was|wann|wo|warum|welche)\b",
    not_values=r"(?:es|das|dies|ihn|sie|dich|dir|euch|wie|was|die (?:idee|art)|den gedanken|wissen|nicht|hier|dort|gern|gerne|lieber|kein|keine|keinen)\b",
    articles=r"(?:der|die|das|den|dem|ein|eine|einen|einem|mein|meine|meinen)\s+",
    fillers=r"\b(?:ich|bin|ist|war|mein|meine|meinen|meinem|meiner|mir|mich|der|die|das|den|dem|ein|eine|einen|dass|daß|habe|hab|hat|wir|uns|es|du|dein|deine|von|zu|über|mag|gern|in|bei|wohne|lebe|arbeite|heiße|heisse|esse|trinke|als)\b",
    remember=r"\b(?:merk(?:e)? dir|merken Sie sich|denk(?:e)? daran|vergiss nicht|vergessen Sie nicht|behalte|notier(?:e)? dir)(?: bitte)?[,:]?(?: dass| daß)? (?P<v>.{3,250})",
    forget=r"\b(?:vergiss|vergessen Sie|lösch(?:e|en Sie)?|streiche)(?! nicht)(?: bitte)?[,:]?(?: dass| daß| die Tatsache, dass)? (?P<v>.{2,200})",
    everything=r"(?:alles|was)(?:,? was)?(?: du| Sie| ich)?(?: (?:über|von) mich?r?)?(?: (?:dir )?(?:weißt|wissen|gesagt habe|gespeichert hast|gemerkt hast))?|alles über mich|mich|alle (?:meine |deine )?(?:daten|erinnerungen)(?: (?:über|von) mi(?:ch|r))?",
    nothing=r"(?:es|das|dies|was ich (?:gerade )?gesagt habe|die letzte (?:frage|nachricht))\b",
    topics=(
        Topic(r"(?:meine (?:Adresse|Stadt)|meinen Wohnort|wo ich (?:wohne|lebe))", ("home", "household")),
        Topic(r"(?:meinen Namen|wie ich hei(?:ß|ss)e)", ("name", "call")),
        Topic(r"(?:meinen (?:Beruf|Job|Arbeitgeber)|meine Arbeit|wo ich arbeite|was ich arbeite)", ("job", "employer")),
        Topic(r"(?:mein Alter|wie alt ich bin|meinen Geburtstag)", ("age", "birthday")),
        Topic(
            r"(?:meine (?:Vorlieben|Präferenzen)|was ich (?:mag|bevorzuge|nicht mag))",
            ("taste:", "preference:", "favourite:"),
        ),
        Topic(r"(?:meine Allergien?|wogegen ich allergisch bin)", ("allergy:",)),
        Topic(r"(?:meine Familie|meine Freunde)", ("person:",)),
        Topic(r"(?:meine Haustiere|mein Haustier)", ("pet:",)),
        Topic(r"(?:woher ich komme|meine Herkunft)", ("origin",)),
    ),
    said="{text} (gesagt am {day})",
    told="Soll behalten werden: {v}",
    relations={"mama": "Mutter", "papa": "Vater"},
)
