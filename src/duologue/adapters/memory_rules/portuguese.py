"""What people say of themselves in Portuguese."""

from typing import Final

from duologue.adapters.memory_rules.rule import Rule, Tongue, Topic

_RELATIVES: Final = (
    r"(?P<who>esposa|esposo|mulher|marido|namorada|namorado|companheira|companheiro|mãe|mamã|pai|papá|irmã|irmão|filha|filho|chefe"
    r"|médico|vizinha|vizinho|amiga|amigo|colega|avó|avô|tia|tio)"
)
_PETS: Final = r"(?P<who>cachorro|cachorra|cão|cadela|gato|gata|cavalo|papagaio|coelho|hamster)"
_PLANS: Final = (
    r"(?:consulta|reunião|entrevista|exame|prova|voo|viagem|férias|casamento|festa|concerto|show|cirurgia|mudança)"
)

PORTUGUESE: Final = Tongue(
    rules=(
        Rule("fact", "name", 0.9, r"\b(?:(?:eu )?me chamo|chamo-me|(?:o )?meu nome é) {N}", "Nome: {v}"),
        Rule("preference", "call", 0.85, r"\b(?:me chame de|chama-me|pode me chamar de) {N}", "Quer ser chamado {v}"),
        Rule("fact", "home", 0.8, r"\b(?:moro|vivo) (?:agora |atualmente )?(?:em|no|na|perto de) {V}", "Mora em {v}"),
        Rule("fact", "home", 0.8, r"\b(?:me mudei|mudei-me|nos mudamos) para {V}", "Mora em {v}"),
        Rule("fact", "origin", 0.6, r"\b(?:sou|venho) (?:de|do|da) {V}", "É de {v}"),
        Rule("fact", "job", 0.7, r"\btrabalho (?:agora )?como {V}", "Trabalha como {v}"),
        Rule("fact", "employer", 0.6, r"\btrabalho (?:agora )?(?:para|na|no) {V}", "Trabalha em {v}"),
        Rule("fact", "age", 0.6, r"\btenho (?P<v>\d{1,3}) anos\b", "Tem {v} anos"),
        Rule("fact", "birthday", 0.7, r"\bmeu aniversário é (?:em |no dia |dia )?{V}", "Aniversário: {v}"),
        Rule(
            "fact",
            "diet:{v}",
            0.9,
            r"\bsou (?P<v>vegetarian[oa]|vegan[oa]|diabétic[oa]|celíac[oa]|intolerante à lactose|intolerante ao glúten)\b",
            "É {v}",
        ),
        Rule(
            "fact",
            "allergy:{v}",
            0.95,
            r"\b(?:sou|tenho) (?:muito )?(?:alérgic[oa]|alergia) (?:à |ao |aos |às |a ){V}",
            "Alergia: {v}",
        ),
        Rule(
            "entity", "person:{who}", 0.65, rf"\b(?:minha|meu) {_RELATIVES} (?:se chama|chama-se) {{N}}", "{who}: {v}"
        ),
        Rule(
            "entity",
            "pet:{who}",
            0.6,
            rf"\b(?:minha|meu|nosso|nossa) {_PETS} (?:se chama|chama-se) {{N}}",
            "{who}: {v}",
        ),
        Rule(
            "fact",
            "has:{what}",
            0.5,
            r"\b(?:tenho|temos) (?P<n>uma?|dois|duas|três|quatro) (?P<what>cachorros?|gatos?|filh[oa]s?|carros?|casa|jardim|irmãos?|irmãs?)\b",
            "Tem {n} {what}",
        ),
        Rule(
            "preference",
            "taste:{v}",
            0.5,
            r"(?<!não )\b(?:gosto muito|gosto) (?:de |do |da |dos |das ){V}",
            "Gosta de {v}",
        ),
        Rule("preference", "taste:{v}", 0.55, r"\b(?:amo|adoro) {V}", "Gosta de {v}"),
        Rule("preference", "preference:{v}", 0.6, r"\bprefiro {V}", "Prefere {v}"),
        Rule("preference", "taste:{v}", 0.55, r"\b(?:odeio|detesto|não suporto) {V}", "Não gosta de {v}"),
        Rule("preference", "taste:{v}", 0.5, r"\bnão gosto (?:de |do |da |dos |das ){V}", "Não gosta de {v}"),
        Rule("fact", "diet:{v}", 0.7, r"\bnão (?:como|bebo) {V}", "Não consome {v}"),
        Rule(
            "event",
            "",
            0.6,
            rf"\b(?:tenho|temos) (?P<v>(?:um |uma |minha |meu )?{_PLANS}[^.!?]{{0,60}})",
            "Tem {v}",
            timed=True,
        ),
        Rule("event", "", 0.6, r"\b(?:vou|viajo|vamos|viajamos|me caso) (?P<v>[^.!?]{2,70})", "Vai {v}", timed=True),
    ),
    over=(
        Rule("fact", "home", 0, r"\bnão (?:moro|vivo) mais (?:em|no|na) {V}", ""),
        Rule("fact", "employer", 0, r"\bnão trabalho mais (?:para|na|no) {V}", ""),
        Rule("fact", "diet:", 0, r"\bnão sou mais (?P<v>vegetarian[oa]|vegan[oa])", ""),
    ),
    stops=r"e|mas|porque|pois|desde|então|que|quem|quando|se|onde|com|para|também|agora|muito|por|ou|ontem|amanhã|hoje",
    times=r"(?:hoje|amanhã|depois de amanhã|ontem|segunda|terça|quarta|quinta|sexta|sábado|domingo|(?:na )?(?:semana|mês|ano) (?:que vem|passad[oa])|próxim[oa] (?:semana|mês|ano)|est[ea] (?:semana|mês|ano|verão|inverno)|em (?:uma?|dois|duas|três|\d+) (?:dias?|semanas?|meses|mês|anos?|horas?)|há|janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro|às \d{1,2}|dia \d{1,2}|natal|páscoa)",
    unless=r"(?:se|imagine|suponha|quem|o que|quando|onde|como|por que|qual)\b",
    not_values=r"(?:isso|isto|saber|que|como|a ideia|aqui|ali|não|seu|sua|você)\b",
    articles=r"(?:o|a|os|as|um|uma|uns|umas|meu|minha)\s+",
    fillers=r"\b(?:eu|sou|estou|é|meu|minha|me|o|a|os|as|um|uma|que|de|do|da|em|no|na|nós|nosso|seu|sobre|tenho|gosto)\b",
    remember=r"\b(?:lembre(?:-se)?|lembra(?:-te)?|tenha em mente|anote|não (?:se )?esqueça)(?: por favor)?[,:]?(?: de)?(?: que)? (?P<v>.{3,250})",
    forget=r"(?<!não )(?<!não se )\b(?:esqueça|esquece|apague|apaga|elimine|exclua)[,:]?(?: de)?(?: que)? (?P<v>.{2,200})",
    everything=r"tudo(?: o que (?:sabe|sabes|guardou|eu disse))?(?: (?:de|sobre) mim)?|todos os meus dados|(?:de )?mim",
    nothing=r"(?:isso|isto|o que eu disse|a última (?:pergunta|mensagem))\b",
    topics=(
        Topic(r"(?:meu endereço|minha cidade|onde (?:moro|vivo))", ("home", "household")),
        Topic(r"(?:meu nome|como me chamo)", ("name", "call")),
        Topic(r"(?:meu trabalho|onde trabalho)", ("job", "employer")),
        Topic(r"(?:minha idade|meu aniversário)", ("age", "birthday")),
        Topic(r"(?:meus gostos|minhas preferências|do que (?:eu )?gosto)", ("taste:", "preference:", "favourite:")),
        Topic(r"minhas alergias", ("allergy:",)),
    ),
    said="{text} (dito em {day})",
    told="A lembrar: {v}",
    relations={"mamã": "mãe", "papá": "pai"},
)
