"""What people say of themselves in Spanish."""

from typing import Final

from duologue.adapters.memory_rules.rule import Rule, Tongue, Topic

_RELATIVES: Final = (
    r"(?P<who>esposa|esposo|mujer|marido|novia|novio|pareja|madre|mamá|padre|papá|hermana|hermano|hija|hijo|jefa|jefe|médico"
    r"|vecina|vecino|amiga|amigo|compañera|compañero|abuela|abuelo|tía|tío)"
)
_PETS: Final = r"(?P<who>perra|perro|gata|gato|caballo|loro|conejo|hámster|pájaro)"
_PLANS: Final = r"(?:cita|reunión|entrevista|examen|vuelo|tren|viaje|vacaciones|boda|fiesta|concierto|operación|mudanza|presentación)"

SPANISH: Final = Tongue(
    rules=(
        Rule("fact", "name", 0.9, r"\b(?:me llamo|mi nombre es) {N}", "Nombre: {v}"),
        Rule("preference", "call", 0.85, r"\b(?:llámame|llámeme|puedes llamarme) {N}", "Quiere que le llamen {v}"),
        Rule(
            "fact", "home", 0.8, r"\b(?:yo )?(?:ahora )?vivo (?:ahora |actualmente )?(?:en|cerca de) {V}", "Vive en {v}"
        ),
        Rule("fact", "home", 0.8, r"\b(?:me he mudado|me mudé|nos mudamos|nos hemos mudado) a {V}", "Vive en {v}"),
        Rule("fact", "origin", 0.6, r"\b(?:yo )?(?:soy|vengo) (?:originario |originaria )?de {V}", "Es de {v}"),
        Rule("fact", "job", 0.7, r"\btrabajo (?:ahora )?(?:como|de) {V}", "Trabaja como {v}"),
        Rule(
            "fact",
            "job",
            0.65,
            r"\bsoy (?P<v>médic[oa]|enfermer[oa]|profesora?|maestr[oa]|ingenier[oa]|abogad[oa]|estudiante|desarrolladora?|programadora?|arquitect[oa]|periodista|cociner[oa]|jubilad[oa]|contable)\b",
            "Es {v}",
        ),
        Rule("fact", "employer", 0.6, r"\btrabajo (?:ahora )?(?:en|para) {V}", "Trabaja en {v}"),
        Rule("fact", "age", 0.6, r"\btengo (?P<v>\d{1,3}) años\b", "Tiene {v} años"),
        Rule("fact", "birthday", 0.7, r"\bmi cumpleaños es (?:el )?{V}", "Cumpleaños: {v}"),
        Rule(
            "fact",
            "diet:{v}",
            0.9,
            r"\bsoy (?P<v>vegetarian[oa]|vegan[oa]|diabétic[oa]|celíac[oa]|intolerante a la lactosa|intolerante al gluten)\b",
            "Es {v}",
        ),
        Rule(
            "fact",
            "allergy:{v}",
            0.95,
            r"\b(?:soy|también soy) (?:muy )?alérgic[oa] (?:a la |a los |a las |al |a ){V}",
            "Alergia: {v}",
        ),
        Rule("fact", "allergy:{v}", 0.95, r"\btengo alergia (?:a la |a los |a las |al |a ){V}", "Alergia: {v}"),
        Rule(
            "fact", "marital", 0.6, r"\bestoy (?P<v>casad[oa]|divorciad[oa]|solter[oa]|comprometid[oa])\b", "Está {v}"
        ),
        Rule("entity", "person:{who}", 0.65, rf"\bmi {_RELATIVES} se llama {{N}}", "{who}: {v}"),
        Rule("entity", "pet:{who}", 0.6, rf"\b(?:mi|nuestr[oa]) {_PETS} se llama {{N}}", "{who}: {v}"),
        Rule(
            "fact",
            "has:{what}",
            0.5,
            r"\b(?:tengo|tenemos) (?P<n>una?|dos|tres|cuatro|cinco) (?P<what>perr[oa]s?|gat[oa]s?|hij[oa]s?|niñ[oa]s?|coches?|casa|jardín|herman[oa]s?)\b",
            "Tiene {n} {what}",
        ),
        Rule("preference", "taste:{v}", 0.5, r"(?<!no )\bme (?:gustan?|encantan?) (?:mucho |más )?{V}", "Le gusta {v}"),
        Rule("preference", "preference:{v}", 0.6, r"\bprefiero {V}", "Prefiere {v}"),
        Rule("preference", "taste:{v}", 0.55, r"\b(?:odio|detesto|no soporto) {V}", "No le gusta {v}"),
        Rule("preference", "taste:{v}", 0.5, r"\bno me (?:gustan?|encantan?) (?:nada )?{V}", "No le gusta {v}"),
        Rule("fact", "diet:{v}", 0.7, r"\bno (?:como|bebo) {V}", "No toma {v}"),
        Rule(
            "preference",
            "favourite:{what}",
            0.6,
            r"\bmi (?P<what>[\wáéíóúñ]{2,25}) favorit[oa] es {V}",
            "{what} favorito: {v}",
        ),
        Rule(
            "event",
            "",
            0.6,
            rf"\b(?:tengo|tenemos) (?P<v>(?:un |una |mi )?{_PLANS}[^.!?]{{0,60}})",
            "Tiene {v}",
            timed=True,
        ),
        Rule(
            "event",
            "",
            0.6,
            rf"\b(?:mi|mis|nuestr[oa]) (?P<v>{_PLANS} (?:es|son|será|empieza) [^.!?]{{1,60}})",
            "{v}",
            timed=True,
        ),
        Rule(
            "event",
            "",
            0.6,
            r"\b(?:voy a|vamos a|viajo a|vuelo a|viajamos a|me mudo a|me caso) ?(?P<v>[^.!?]{2,70})",
            "Va a {v}",
            timed=True,
        ),
        Rule(
            "event",
            "",
            0.5,
            r"\b(?:he )?(?P<v>(?:comprado|compré|pedido|pedí|reservado|reservé|perdido|perdí|vendido|vendí|aprobado|aprobé) [^.!?]{2,60})",
            "Ha {v}",
            timed=True,
        ),
    ),
    over=(
        Rule("fact", "home", 0, r"\bya no vivo en {V}", ""),
        Rule("fact", "employer", 0, r"\bya no trabajo (?:en|para) {V}", ""),
        Rule("fact", "diet:", 0, r"\bya no soy (?P<v>vegetarian[oa]|vegan[oa])", ""),
        Rule("fact", "allergy:", 0, r"\b(?:ya )?no soy alérgic[oa] (?:a la |a los |a las |al |a ){V}", ""),
    ),
    stops=r"y|e|pero|porque|ya|desde|así|que|quien|cuando|si|donde|con|para|también|ahora|actualmente|mucho|por|o|entonces|ayer|mañana|hoy",
    times=r"(?:hoy|mañana|pasado mañana|ayer|lunes|martes|miércoles|jueves|viernes|sábado|domingo|(?:la )?(?:semana|año) (?:que viene|pasad[oa]|próxim[oa])|(?:el )?(?:mes|año|verano) (?:que viene|pasado|próximo)|est[ea] (?:semana|mes|año|verano|invierno)|en (?:una?|dos|tres|\d+) (?:días?|semanas?|meses|mes|años?|horas?)|hace|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|a las \d{1,2}|el \d{1,2}|navidad|semana santa)",
    unless=r"(?:si|imagina|supongamos|quién|qué|cuándo|dónde|cómo|por qué|cuál)\b|¿",
    not_values=r"(?:eso|esto|esa|ese|lo que|saber|que|cómo|la idea|aquí|allí|no|verte|tu|su)\b",
    articles=r"(?:el|la|los|las|un|una|unos|unas|mi|mis)\s+",
    fillers=r"\b(?:yo|soy|estoy|es|mi|mis|me|el|la|los|las|un|una|que|he|ha|de|del|al|a|en|nosotros|nuestro|tu|sobre|tengo|gusta)\b",
    remember=r"\b(?:recuerda|recuerde|acuérdate|acuérdese|ten en cuenta|apunta|anota|no olvides|no olvide)(?: por favor)?[,:]?(?: de)?(?: que)? (?P<v>.{3,250})",
    forget=r"(?<!no )\b(?:olvida|olvide|olvídate|borra|borre|elimina|elimine)[,:]?(?: de)?(?: que| el hecho de que)? (?P<v>.{2,200})",
    everything=r"todo(?: lo que (?:sabes|sabe|has guardado|te he dicho|recuerdas))?(?: (?:de|sobre) mí)?|todos mis datos|mis datos|(?:de )?mí",
    nothing=r"(?:eso|lo|esto|lo que dije|la última (?:pregunta|petición))\b",
    topics=(
        Topic(r"(?:mi (?:dirección|ciudad)|dónde vivo)", ("home", "household")),
        Topic(r"(?:mi nombre|cómo me llamo)", ("name", "call")),
        Topic(r"(?:mi (?:trabajo|profesión|empresa)|dónde trabajo)", ("job", "employer")),
        Topic(r"(?:mi edad|mi cumpleaños)", ("age", "birthday")),
        Topic(r"(?:mis (?:gustos|preferencias)|lo que me gusta)", ("taste:", "preference:", "favourite:")),
        Topic(r"mis alergias", ("allergy:",)),
        Topic(r"(?:mi familia|mis amigos)", ("person:",)),
    ),
    said="{text} (dicho el {day})",
    told="Hay que recordar: {v}",
    relations={"mamá": "madre", "papá": "padre"},
)
