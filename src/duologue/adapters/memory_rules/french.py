"""What people say of themselves in French."""

from typing import Final

from duologue.adapters.memory_rules.rule import Rule, Tongue, Topic

_RELATIVES: Final = (
    r"(?P<who>femme|mari|épouse|époux|compagne|compagnon|copine|copain|mère|maman|père|papa|frère|sœur|soeur|fils|fille|chef|cheffe"
    r"|médecin|voisine?|collègue|amie?|grand-mère|grand-père|tante|oncle)"
)
_PETS: Final = r"(?P<who>chien|chienne|chat|chatte|cheval|perroquet|lapin|hamster|oiseau)"
_PLANS: Final = r"(?:rendez-vous|réunion|entretien|examen|vol|train|voyage|vacances|mariage|fête|concert|opération|déménagement|présentation)"

FRENCH: Final = Tongue(
    rules=(
        Rule("fact", "name", 0.9, r"\b(?:je m'appelle|mon nom est|moi,? c'est) {N}", "Nom : {v}"),
        Rule("preference", "call", 0.85, r"\bappel(?:le|ez)[- ]moi {N}", "Veut être appelé {v}"),
        Rule(
            "fact",
            "home",
            0.8,
            r"\bj'habite (?:maintenant |actuellement )?(?:à |en |au |aux |dans )?{V}",
            "Habite à {v}",
        ),
        Rule(
            "fact", "home", 0.8, r"\bje vis (?:maintenant |actuellement )?(?:à|en|au|aux|près de) {V}", "Habite à {v}"
        ),
        Rule("fact", "home", 0.8, r"\b(?:j'ai|nous avons) déménagé (?:à|en|au) {V}", "Habite à {v}"),
        Rule("fact", "origin", 0.6, r"\bje (?:viens|suis originaire) (?:de |du |d'|des ){V}", "Vient de {v}"),
        Rule("fact", "job", 0.7, r"\bje travaille (?:maintenant )?comme {V}", "Travaille comme {v}"),
        Rule(
            "fact",
            "job",
            0.65,
            r"\bje suis (?P<v>médecin|infirmi(?:er|ère)|professeure?|enseignante?|ingénieure?|avocate?|étudiante?|développeu(?:r|se)|architecte|journaliste|boulang(?:er|ère)|cuisini(?:er|ère)|retraitée?|comptable)\b",
            "Est {v}",
        ),
        Rule("fact", "employer", 0.6, r"\bje travaille (?:maintenant )?(?:chez|pour) {V}", "Travaille chez {v}"),
        Rule("fact", "age", 0.6, r"\bj'ai (?P<v>\d{1,3}) ans\b", "A {v} ans"),
        Rule("fact", "birthday", 0.7, r"\bmon anniversaire (?:est|c'est) (?:le )?{V}", "Anniversaire : {v}"),
        Rule(
            "fact",
            "diet:{v}",
            0.9,
            r"\bje suis (?P<v>végétarien(?:ne)?|végétalien(?:ne)?|vegan|végane|diabétique|intolérante? au (?:lactose|gluten))\b",
            "Est {v}",
        ),
        Rule(
            "fact",
            "allergy:{v}",
            0.95,
            r"\bje suis (?:très |aussi )?allergique (?:à la |à l'|aux |au |à ){V}",
            "Allergique : {v}",
        ),
        Rule(
            "fact", "marital", 0.6, r"\bje suis (?P<v>mariée?|célibataire|divorcée?|veu(?:f|ve)|fiancée?)\b", "Est {v}"
        ),
        Rule("entity", "person:{who}", 0.65, rf"\b(?:mon|ma) {_RELATIVES} s'appelle {{N}}", "{who} : {v}"),
        Rule("entity", "pet:{who}", 0.6, rf"\b(?:mon|ma|notre) {_PETS} s'appelle {{N}}", "{who} : {v}"),
        Rule(
            "fact",
            "has:{what}",
            0.5,
            r"\b(?:j'ai|nous avons) (?P<n>une?|deux|trois|quatre|cinq) (?P<what>chiens?|chats?|enfants?|fils|filles?|voitures?|maison|jardin|frères?|sœurs?)\b",
            "A {n} {what}",
        ),
        Rule(
            "preference", "taste:{v}", 0.5, r"\bj'(?:aime|adore) (?:beaucoup |bien |vraiment )?(?!pas){V}", "Aime {v}"
        ),
        Rule("preference", "preference:{v}", 0.6, r"\bje préfère {V}", "Préfère {v}"),
        Rule("preference", "taste:{v}", 0.55, r"\bje (?:déteste|ne supporte pas) {V}", "N'aime pas {v}"),
        Rule("preference", "taste:{v}", 0.5, r"\bje n'aime (?:vraiment )?pas (?:du tout )?{V}", "N'aime pas {v}"),
        Rule("fact", "diet:{v}", 0.7, r"\bje ne (?:mange|bois) pas (?:de |d'){V}", "Ne consomme pas : {v}"),
        Rule(
            "preference",
            "favourite:{what}",
            0.6,
            r"\b(?:mon|ma) (?P<what>[\wéèêàç]{2,25}) préférée? (?:est|c'est) {V}",
            "{what} préféré : {v}",
        ),
        Rule(
            "event",
            "",
            0.6,
            rf"\b(?:j'ai|nous avons) (?P<v>(?:un |une |mon |ma )?{_PLANS}[^.!?]{{0,60}})",
            "A {v}",
            timed=True,
        ),
        Rule(
            "event",
            "",
            0.6,
            rf"\b(?:mon|ma|mes) (?P<v>{_PLANS} (?:est|sont|a lieu|commence) [^.!?]{{1,60}})",
            "{v}",
            timed=True,
        ),
        Rule(
            "event",
            "",
            0.6,
            r"\b(?:je (?:pars|vais|déménage|voyage)|nous (?:partons|allons)) (?P<v>[^.!?]{2,70})",
            "Part {v}",
            timed=True,
        ),
        Rule(
            "event",
            "",
            0.5,
            r"\bj'ai (?P<v>(?:acheté|commandé|réservé|perdu|vendu|réussi|démissionné|visité) [^.!?]{2,60})",
            "A {v}",
            timed=True,
        ),
    ),
    over=(
        Rule("fact", "home", 0, r"\bje n'habite plus (?:à |en |au )?{V}", ""),
        Rule("fact", "employer", 0, r"\bje ne travaille plus (?:chez|pour) {V}", ""),
        Rule("fact", "diet:", 0, r"\bje ne suis plus (?P<v>végétarien(?:ne)?|végétalien(?:ne)?|vegan|végane)", ""),
        Rule("fact", "allergy:", 0, r"\bje ne suis (?:plus|pas) allergique (?:à la |à l'|aux |au |à ){V}", ""),
    ),
    stops=r"et|mais|car|parce|puisque|depuis|donc|qui|que|quand|si|où|avec|pour|aussi|maintenant|en ce moment|beaucoup|s'il|ou|alors|hier|demain",
    times=r"(?:aujourd'hui|demain|après-demain|hier|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|(?:la )?(?:semaine|année) (?:prochaine|dernière)|(?:le )?mois (?:prochain|dernier)|cet(?:te)? (?:été|hiver|automne|semaine|année)|ce (?:mois|printemps|week-end)|dans (?:une?|deux|trois|\d+) (?:jours?|semaines?|mois|ans?|heures?)|il y a|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|\d{1,2} ?h(?:\d\d)?|le \d{1,2}|noël|pâques)",
    unless=r"(?:si|imagine|supposons|qui|que|quoi|quand|où|comment|pourquoi|quel|quelle|est-ce)\b",
    not_values=r"(?:ça|cela|ceci|ce|le|la|les|te|vous|pas|bien (?:savoir|que)|l'idée|savoir|que|comment|ici|là)\b(?! \w)|(?:savoir|que|comment)\b",
    articles=r"(?:le|la|les|un|une|des|du|de la|mon|ma|mes)\s+|l'",
    fillers=r"\b(?:je|j|suis|est|mon|ma|mes|moi|me|le|la|les|un|une|des|que|qu|ai|a|de|du|d|l|nous|notre|tu|ton|ta|à|en|sur|aime)\b|'",
    remember=r"\b(?:souviens-toi|souvenez-vous|rappelle-toi|rappelez-vous|retiens|retenez|note|notez|n'oublie pas|n'oubliez pas)(?: bien)?[,:]?(?: que| qu'| de)? ?(?P<v>.{3,250})",
    forget=r"(?<!n')\b(?:oublie|oubliez|efface|effacez|supprime|supprimez)(?! pas)[,:]?(?: que| qu'| le fait que)? ?(?P<v>.{2,200})",
    everything=r"tout(?: ce que (?:tu|vous) (?:sais|savez|as|avez)(?: retenu| appris)?)?(?: (?:sur|de|à propos de) moi)?|toutes mes (?:données|informations)|tout sur moi|moi",
    nothing=r"(?:ça|cela|ce que j'ai dit|la dernière (?:question|demande))\b",
    topics=(
        Topic(r"(?:mon adresse|ma ville|où j'habite)", ("home", "household")),
        Topic(r"(?:mon nom|mon prénom|comment je m'appelle)", ("name", "call")),
        Topic(r"(?:mon (?:travail|métier|employeur)|où je travaille)", ("job", "employer")),
        Topic(r"(?:mon âge|mon anniversaire)", ("age", "birthday")),
        Topic(r"(?:mes (?:goûts|préférences)|ce que j'aime)", ("taste:", "preference:", "favourite:")),
        Topic(r"mes allergies", ("allergy:",)),
        Topic(r"(?:ma famille|mes amis)", ("person:",)),
    ),
    said="{text} (dit le {day})",
    told="À retenir : {v}",
    relations={"maman": "mère", "papa": "père", "soeur": "sœur"},
)
