"""What people say of themselves in English."""

from typing import Final

from duologue.adapters.memory_rules.rule import Rule, Tongue, Topic

_ME: Final = r"\bI(?:'m| am)"
_VERY: Final = r"(?:(?:really|also|just|absolutely|quite|very much|truly|always|do|now|still|currently|personally) )*"
_NOT: Final = r"(?:don't|do not|didn't|did not|never|no longer) (?:really |usually |particularly |much )?"
_RELATIVES: Final = (
    r"(?P<who>wife|husband|spouse|partner|girlfriend|boyfriend|fiancée?|mother|mum|mom|father|dad|brother|sister|son"
    r"|daughter|baby|boss|manager|doctor|dentist|therapist|teacher|neighbou?r|best friend|friend|colleague|roommate"
    r"|grandmother|grandma|grandfather|grandpa|aunt|uncle|cousin|niece|nephew)"
)
_PETS: Final = r"(?P<who>dog|puppy|cat|kitten|horse|parrot|rabbit|hamster|bird|turtle|goldfish|guinea pig)"
_JOBS: Final = (
    r"(?P<v>(?:[a-z-]+ )?(?:accountant|actor|actress|architect|artist|baker|barista|barber|biologist|builder|butcher|carpenter"
    r"|cashier|chef|chemist|cleaner|coach|consultant|cook|dentist|designer|developer|doctor|driver|economist|editor"
    r"|electrician|engineer|farmer|firefighter|gardener|hairdresser|journalist|judge|lawyer|lecturer|librarian|mechanic"
    r"|midwife|musician|nurse|painter|paramedic|pharmacist|photographer|physicist|physiotherapist|pilot|plumber|police"
    r" officer|postman|professor|programmer|psychologist|researcher|salesman|saleswoman|scientist|secretary|singer"
    r"|social worker|soldier|student|surgeon|tailor|teacher|therapist|translator|vet|waiter|waitress|writer))"
)
_DIET: Final = (
    r"(?P<v>vegetarian|vegan|pescatarian|pescetarian|lactose[- ]intolerant|gluten[- ]intolerant|coeliac|celiac|diabetic"
    r"|teetotal(?:ler)?)"
)
_PLANS: Final = (
    r"(?:doctor's |dentist |dentist's |job |driving |business |piano )?(?P<what>appointment|meeting|interview|exam|test|flight|train"
    r"|trip|holiday|vacation|wedding|party|concert|operation|surgery|deadline|presentation|move|check-?up)"
)

ENGLISH: Final = Tongue(
    rules=(
        Rule("fact", "name", 0.9, r"\bmy (?:full |first |real )?name(?:'s| is) {N}", "Name: {v}"),
        Rule(
            "fact",
            "name",
            0.85,
            r"^(?:hi|hello|hey|good (?:morning|evening|afternoon))[,!]? (?:this is|I'm|I am) {N}",
            "Name: {v}",
        ),
        Rule(
            "preference",
            "call",
            0.85,
            r"\b(?:please )?call me (?!back|later|when|if|at|on|a |an |again|tomorrow|today){N}",
            "Wants to be called {v}",
        ),
        Rule(
            "fact",
            "home",
            0.8,
            r"\bI(?:'m)? (?:just |now |currently |still )*(?:live|living|reside) (?:in|near) {V}",
            "Lives in {v}",
        ),
        Rule(
            "fact", "home", 0.8, r"\b(?:I|we)(?:'ve| have)? (?:just |recently )*moved (?:back )?to {V}", "Lives in {v}"
        ),
        Rule("fact", "home", 0.8, r"\bmy (?:home|hometown|home town|city|address) is (?:in )?{V}", "Lives in {v}"),
        Rule("fact", "origin", 0.6, r"\bI(?:'m| am| come) (?:originally )?from {V}", "Comes from {v}"),
        Rule("fact", "origin", 0.6, r"\bI was born in {V}", "Comes from {v}"),
        Rule("fact", "job", 0.7, r"\bI(?:'m)? (?:now |currently )?work(?:ing)? as (?:an? |the )?{V}", "Works as {v}"),
        Rule("fact", "job", 0.7, rf"{_ME} (?:now |currently )?an? {_JOBS}\b", "Works as {v}"),
        Rule("fact", "job", 0.6, rf"{_ME} (?:now )?(?P<v>retired|unemployed|self-employed)\b", "Is {v}"),
        Rule(
            "fact",
            "employer",
            0.6,
            r"\bI(?:'m)? (?:now |currently )?work(?:ing)? (?:for|at) (?!home|night|the moment|all){V}",
            "Works at {v}",
        ),
        Rule("fact", "age", 0.6, rf"{_ME} (?P<v>\d{{1,3}})(?: years old| years of age)", "Is {v} years old"),
        Rule("fact", "birthday", 0.7, r"\bmy birthday(?:'s| is)(?: on)? {V}", "Birthday: {v}"),
        Rule("fact", "diet:{v}", 0.9, rf"{_ME} (?:an? )?(?:strict )?{_DIET}\b", "Is {v}"),
        Rule(
            "fact",
            "allergy:{v}",
            0.95,
            rf"{_ME} (?:also |very |severely |highly )*allergic to {{V}}",
            "Allergic to {v}",
        ),
        Rule(
            "fact",
            "allergy:{v}",
            0.95,
            r"\bI have an? (?:severe |bad )?(?P<v>[\w-]+(?: [\w-]+)?) allergy\b",
            "Allergic to {v}",
        ),
        Rule("fact", "marital", 0.6, rf"{_ME} (?P<v>married|single|divorced|widowed|engaged)\b", "Is {v}"),
        Rule("fact", "household", 0.5, r"\bI live (?P<v>alone|by myself|with my [\w' -]{2,40})", "Lives {v}"),
        Rule(
            "entity",
            "person:{who}",
            0.65,
            rf"\bmy {_RELATIVES}(?:'s name is| is (?:called|named)|'s called) {{N}}",
            "{who}: {v}",
        ),
        Rule("entity", "person:{who}", 0.6, rf"\bmy {_RELATIVES},? (?:is )?{{N}}", "{who}: {v}"),
        Rule(
            "entity",
            "pet:{who}",
            0.6,
            rf"\b(?:my|our) {_PETS}(?:'s name is| is (?:called|named)|'s called| is) {{N}}",
            "{who}: {v}",
        ),
        Rule("entity", "pet:{who}", 0.6, rf"\bI have an? {_PETS} (?:called|named) {{N}}", "{who}: {v}"),
        Rule(
            "fact",
            "has:{what}",
            0.5,
            r"\b(?:I|we) have (?P<n>an?|one|two|three|four|five|six|\d{1,2}) (?:small |little |young |old |big )?(?P<what>dogs?|cats?|kids?|child(?:ren)?|sons?|daughters?|horses?|cars?|bikes?|houses?|gardens?|brothers?|sisters?)\b(?! (?:called|named))",
            "Has {n} {what}",
        ),
        Rule(
            "fact",
            "speaks:{v}",
            0.5,
            r"\bI (?:also )?speak (?P<v>[A-Z][a-z]+(?:,? (?:and )?[A-Z][a-z]+)*)",
            "Speaks {v}",
        ),
        Rule("preference", "taste:{v}", 0.55, rf"\bI {_VERY}(?:love|adore) {{V}}", "Loves {v}"),
        Rule("preference", "taste:{v}", 0.5, rf"\bI {_VERY}(?:like|enjoy) {{V}}", "Likes {v}"),
        Rule(
            "preference",
            "taste:{v}",
            0.5,
            rf"{_ME} (?:an? )?(?:big |huge |great )?(?:fan of|keen on|fond of|into) {{V}}",
            "Likes {v}",
        ),
        Rule("preference", "preference:{v}", 0.6, rf"\bI(?:'d)? {_VERY}prefer {{V}}", "Prefers {v}"),
        Rule(
            "preference",
            "taste:{v}",
            0.55,
            rf"\bI {_VERY}(?:hate|dislike|detest|loathe|can't stand|cannot stand|can't bear) {{V}}",
            "Dislikes {v}",
        ),
        Rule("preference", "taste:{v}", 0.5, rf"\bI {_NOT}(?:like|enjoy|care for) {{V}}", "Dislikes {v}"),
        Rule("fact", "diet:{v}", 0.7, rf"\bI {_NOT}(?P<verb>eat|drink|smoke) {{V}}", "Does not {verb} {v}"),
        Rule(
            "preference",
            "favourite:{what}",
            0.6,
            r"\bmy (?:all-time )?favou?rite (?P<what>[\w -]{2,25}?) (?:is|are) {V}",
            "Favourite {what}: {v}",
        ),
        Rule(
            "preference",
            "manner:{verb}",
            0.75,
            r"\bplease (?P<how>always|never|don't ever) (?P<verb>answer|reply|respond|speak|talk|write|use|send|show|explain|address|contact|call|keep|give) {V}",
            "Wants: {how} {verb} {v}",
        ),
        Rule(
            "event",
            "",
            0.6,
            rf"\b(?:I|we)(?:'ve| have)(?: got)? (?P<v>an? {_PLANS}[^.!?]{{0,60}})",
            "Has {v}",
            timed=True,
        ),
        Rule(
            "event",
            "",
            0.6,
            rf"\b(?:my|our) (?P<v>{_PLANS}(?: with [\w .]{{1,30}}| to [\w .]{{1,30}}| in [\w .]{{1,30}})? is [^.!?]{{1,60}})",
            "Their {v}",
            timed=True,
        ),
        Rule(
            "event",
            "",
            0.6,
            r"\b(?:I'm|I am|we're|we are|I'll be|I will be) (?P<v>(?:flying|travelling|traveling|going|moving|driving|getting|starting|visiting|having|leaving|seeing) [^.!?]{2,70})",
            "Is {v}",
            timed=True,
        ),
        Rule(
            "event",
            "",
            0.5,
            r"\b(?:I|we)(?:'ve| have)? (?:just )?(?P<v>(?:bought|ordered|booked|broke|lost|sold|started|quit|finished|passed|failed|visited|met|adopted|returned) [^.!?]{2,60})",
            "{v}",
            timed=True,
        ),
    ),
    over=(
        Rule("fact", "home", 0, r"\bI (?:no longer|don't|do not) live (?:in|near) {V}", ""),
        Rule("fact", "employer", 0, r"\bI (?:no longer|don't|do not) work (?:at|for) {V}", ""),
        Rule("fact", "job", 0, r"\bI (?:no longer|don't|do not) work as (?:an? )?{V}", ""),
        Rule("fact", "job", 0, rf"\bI(?:'m| am) (?:no longer|not) an? {_JOBS}", ""),
        Rule("fact", "diet:", 0, rf"\bI(?:'m| am) (?:no longer|not) (?:an? )?{_DIET}", ""),
        Rule("fact", "allergy:", 0, r"\bI(?:'m| am) (?:no longer|not) allergic to {V}", ""),
        Rule("preference", "preference:", 0, r"\bI (?:no longer|don't|do not) prefer {V}", ""),
    ),
    stops=r"and|but|because|since|so|which|who|when|where|although|though|while|too|as well|any ?more|now|at the moment|these days|at all|very much|a lot|if|with|for|please|or|then|last|next|today|tomorrow|yesterday",
    times=r"(?:to(?:day|night|morrow)|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:next|last|this|in (?:a|an|one|two|three|four|five|six|\d+)) (?:week|month|year|weekend|spring|summer|autumn|fall|winter|hours?|days?|weeks?|months?|years?)|january|february|march|april|may \d|june|july|august|september|october|november|december|\d{1,2}(?::\d\d)? ?[ap]m|\d{1,2}[./]\d{1,2}|on the \d{1,2}(?:st|nd|rd|th)|at \d{1,2}|ago|christmas|easter)",
    unless=r"(?:if|suppose|imagine|assuming|unless|pretend|what if|do|does|did|can|could|would|should|is|are|was|were|how|what|when|where|who|why|which)\b",
    not_values=r"(?:it|this|that|these|those|them|him|her|you|your|how|what|the (?:way|idea|first|second|third|last|other|sound)|to (?:know|ask|see|speak|talk|order|cancel|return|change|book|buy|have|get|be|make|hear|thank|report|complain)|not|here|there|being able|a lot|any of|my|our|if|when)\b",
    articles=r"(?:the|a|an|some|any|my)\s+",
    fillers=r"\b(?:i|i'm|i've|am|is|are|was|my|me|mine|the|a|an|that|about|have|has|had|do|does|to|of|for|we|our|it|you|your|like|likes)\b",
    remember=r"\b(?:please )?(?:remember|keep in mind|make a note|note|don't forget|do not forget)(?: for (?:me|later|next time|the future))?(?:[,:]? that|[,:])? (?P<v>(?:I|I'm|my|we|our|the|it|on|in|next|every)\b.{3,250})",
    forget=r"(?<!don't )(?<!not )(?<!never )(?<!I )(?<!I'll )(?<!can't )\b(?:forget|erase|delete|stop remembering|do not remember|don't remember)(?: about)?(?: the fact)?(?: that)?[,:]? (?P<v>.{2,200})",
    everything=r"(?:everything|all|anything)(?: that)?(?: (?:you|I|we)(?:'ve| have)? (?:know|remember|learnt|learned|stored|saved|told you|said|have))?(?: (?:about|on|of) me)?|(?:about )?me|all (?:of )?(?:my|your) (?:data|memories|memory)(?: (?:about|of) me)?|what you (?:know|remember)(?: about me)?",
    nothing=r"(?:it|about it|that|this|the last (?:one|question|message)|what I (?:just )?said|never mind|to)\b",
    topics=(
        Topic(r"(?:my (?:home|address|city|place)|where I live)", ("home", "household")),
        Topic(r"(?:my name|what I(?:'m| am) called)", ("name", "call")),
        Topic(r"(?:my (?:job|work|profession|employer|company)|where I work|what I do)", ("job", "employer")),
        Topic(r"(?:my age|how old I am|my birthday)", ("age", "birthday")),
        Topic(
            r"(?:my (?:likes|preferences|tastes?|favou?rites?)|what I (?:like|prefer|don't like|love|hate))",
            ("taste:", "preference:", "favourite:"),
        ),
        Topic(r"(?:my allerg(?:y|ies)|what I(?:'m| am) allergic to)", ("allergy:",)),
        Topic(r"(?:my diet|what I (?:eat|don't eat))", ("diet:",)),
        Topic(r"(?:my (?:family|friends))", ("person:",)),
        Topic(r"(?:my pets?)", ("pet:",)),
        Topic(r"(?:where I(?:'m| am) from|where I come from|my origin)", ("origin",)),
    ),
    said="{text} (said on {day})",
    told="Asked to remember: {v}",
    relations={
        "mum": "mother",
        "mom": "mother",
        "dad": "father",
        "grandma": "grandmother",
        "grandpa": "grandfather",
        "puppy": "dog",
        "kitten": "cat",
    },
)
