"""Words that make a question harder to answer, in the languages that are told, and what greets and thanks.

The lists are of our own making. Where words are not parted by spaces, they are looked for anywhere in the text.
"""

import re
from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

Hint: TypeAlias = Literal["analysis", "constraint", "making", "part", "lookup"]
"""What a word asks for: to reason, to keep to something, to write something, one thing more, or a mere fact."""

_ANALYSIS: Final = (
    # English
    "why explain analyse analyze compare comparison contrast evaluate assess prove derive justify interpret discuss"
    " pros cons tradeoff tradeoffs trade-offs difference differences implications consequences optimise optimize debug"
    " diagnose investigate reason reasons strategy architecture versus"
    # German
    " warum wieso weshalb erkläre erklär erklären analysiere vergleiche vergleich bewerte beweise begründe unterschied"
    " unterschiede vorteile nachteile auswirkungen ursache ursachen strategie optimiere abwägen"
    # French
    " pourquoi explique expliquez expliquer analyse analysez comparer compare comparez évalue démontre justifie"
    " différence différences avantages inconvénients conséquences stratégie optimiser"
    # Spanish
    " explica explique explicar analiza analizar comparar evalúa demuestra justifica diferencia diferencias"
    " ventajas desventajas consecuencias estrategia optimizar"
    # Italian
    " spiega spiegare spiegami analizza confronta valuta dimostra giustifica differenza differenze vantaggi svantaggi"
    " conseguenze strategia"
    # Portuguese
    " explicar analisa analisar analise comparar avalia demonstra diferença diferenças vantagens"
    " desvantagens consequências estratégia"
    # Dutch
    " waarom verklaar uitleggen analyseer vergelijk beoordeel bewijs verschil verschillen voordelen nadelen gevolgen"
    # Polish
    " dlaczego wyjaśnij wytłumacz przeanalizuj porównaj oceń udowodnij uzasadnij różnica różnice zalety wady skutki"
    # Swedish
    " varför förklara analysera jämför bedöm bevisa motivera skillnad skillnaden fördelar nackdelar"
    # Turkish
    " neden niçin açıkla açıklar karşılaştır değerlendir kanıtla fark farkı avantajları dezavantajları"
    # Russian and Ukrainian
    " почему зачем объясни объясните сравни сравните проанализируй докажи оцени обоснуй разница преимущества недостатки"
    " чому поясни порівняй проаналізуй доведи оціни різниця переваги недоліки"
    # Hindi
    " क्यों समझाइए समझाओ तुलना विश्लेषण अंतर साबित"
)

_CONSTRAINT: Final = (
    "must mustn't without unless except only exactly least most between within before after maximum minimum constraint"
    " constraints requirement requirements provided assuming deadline budget"
    " muss müssen ohne außer nur genau mindestens höchstens zwischen innerhalb maximal minimal sofern vorausgesetzt"
    " frist"
    " doit sans sauf seulement exactement moins maximum minimum avant délai"
    " debe sin excepto solo exactamente máximo mínimo entre antes plazo"
    " deve senza tranne solo esattamente almeno massimo minimo entro"
    " sem exceto apenas exatamente menos máximo mínimo prazo"
    " moet zonder behalve alleen precies minstens hoogstens tussen binnen"
    " musi bez oprócz tylko dokładnie najmniej najwięcej między przed"
    " måste utan förutom endast exakt minst högst mellan inom"
    " olmadan hariç sadece tam az çok arasında"
    " должен должна должны без кроме только ровно минимум максимум между повинен крім тільки лише рівно між"
    " बिना केवल सिर्फ कम अधिक"
)

_MAKING: Final = (
    "write draft design implement create build plan outline summarise summarize translate refactor rewrite program code"
    " essay report proposal algorithm"
    " schreibe schreib entwirf entwickle erstelle implementiere plane fasse übersetze programmiere aufsatz bericht"
    " écris écrivez rédige conçois crée planifie résume traduis programme rapport"
    " escribe redacta diseña crea planifica resume traduce programa informe"
    " scrivi progetta crea pianifica riassumi traduci programma relazione"
    " escreve escreva desenha cria crie planeja resume traduz programa relatório"
    " schrijf ontwerp maak plan vertaal samenvatten"
    " napisz zaprojektuj stwórz zaplanuj streść przetłumacz"
    " skriv utforma skapa planera sammanfatta översätt"
    " yaz tasarla oluştur planla özetle çevir"
    " напиши составь спроектируй создай спланируй переведи резюмируй склади створи переклади"
    " लिखो लिखिए बनाओ अनुवाद सारांश"
)

_PART: Final = (
    "and also then additionally furthermore finally secondly thirdly besides plus"
    " und außerdem dann zusätzlich schließlich zweitens drittens sowie"
    " et aussi puis ensuite enfin deuxièmement"
    " también además luego después finalmente"
    " anche poi inoltre infine também depois além"
    " ook daarna bovendien ten slotte także potem oraz następnie också sedan dessutom ayrıca sonra"
    " также затем потом кроме потім також"
)

_LOOKUP: Final = (
    "what who when where which is are wer was wann wo welche qui quand où quoi quién cuándo dónde chi quando dove quem"
    " onde wie wanneer waar kto kiedy gdzie vem när var kim nerede кто когда где что хто коли де कौन कब कहाँ"
)

_UNPARTED_ANALYSIS: Final = (
    "为什么 為什麼 解释 解釋 分析 比较 比較 评估 證明 证明 区别 優點 优点 缺点 原因"
    " なぜ どうして 説明 比べ 評価 違い 理由 長所 短所 왜 설명 분석 비교 평가 차이 이유 장단점"
    " لماذا اشرح قارن حلل الفرق مزايا"
)
_UNPARTED_MAKING: Final = (
    "写 寫 设计 設計 翻译 翻譯 总结 總結 計画 書いて 作って 訳して 要約 작성 설계 번역 요약 اكتب صمم ترجم لخص"
)
_UNPARTED_CONSTRAINT: Final = "必须 必須 至少 至多 不要 只能 以内 だけ 以上 반드시 최소 최대 يجب بدون فقط"
_UNPARTED_PART: Final = "另外 然后 然後 そして また 그리고 또한 ثم أيضا"


def _by_word(lists: tuple[tuple[Hint, str], ...]) -> Mapping[str, Hint]:
    """What each word asks for; of a word in several lists, the last one's."""
    return {word: hint for hint, words in lists for word in words.split()}


_PARTED: Final = _by_word(
    (
        ("lookup", _LOOKUP),
        ("part", _PART),
        ("making", _MAKING),
        ("constraint", _CONSTRAINT),
        ("analysis", _ANALYSIS),
    )
)

_UNPARTED: Final = _by_word(
    (
        ("analysis", _UNPARTED_ANALYSIS),
        ("making", _UNPARTED_MAKING),
        ("constraint", _UNPARTED_CONSTRAINT),
        ("part", _UNPARTED_PART),
    )
)


def hint(word: str) -> Hint | None:
    """What a word in lower case asks for; `None` where it is no sign of anything."""
    return _PARTED.get(word)


def hints_within(text: str) -> list[Hint]:
    """What is asked for in a text of a script that does not part words, a hint for each sign."""
    return [_UNPARTED[sign] for sign in _UNPARTED_SIGNS.findall(text)]


_UNPARTED_SIGNS: Final = re.compile("|".join(sorted(map(re.escape, _UNPARTED), key=len, reverse=True)))

_GREETINGS: Final = (
    "hi hello hey hiya howdy greetings morning afternoon evening good there"
    " hallo guten morgen tag abend servus moin bonjour salut bonsoir coucou hola buenos buenas días tardes noches ciao"
    " buongiorno buonasera salve olá oi bom dia boa tarde noite hoi goedemorgen goedemiddag goedenavond"
    " cześć dzień dobry witaj hej god tjena hejsan merhaba selam günaydın"
    " привет здравствуйте здравствуй добрый доброе утро день вечер"
    " привіт вітаю доброго ранку дня नमस्ते 你好 您好 こんにちは おはよう 안녕 안녕하세요 مرحبا سلام"
)
_THANKS: Final = (
    "thanks thank you very much thx ty cheers a lot so great perfect danke vielen dank schön sehr merci beaucoup"
    " gracias muchas grazie mille obrigado obrigada muito bedankt dank je wel dziękuję dzięki bardzo tack så mycket"
    " teşekkürler teşekkür ederim çok sağol спасибо большое благодарю дякую дуже धन्यवाद 谢谢 謝謝"
    " ありがとう ございます 감사합니다 شكرا"
)
_PARTINGS: Final = (
    "bye goodbye see you later night tschüss auf wiedersehen au revoir adieu adiós hasta luego arrivederci tchau adeus"
    " tot ziens doei do widzenia pa hejdå hoşça kal görüşürüz пока до свидания бувай побачення अलविदा"
    " 再见 再見 さようなら 안녕히 مع السلامة"
)

_SMALL_TALK: Final[Mapping[str, frozenset[str]]] = {
    "greeting": frozenset(_GREETINGS.split()),
    "thanks": frozenset(_THANKS.split()),
    "parting": frozenset(_PARTINGS.split()) | {"good"},
}

SMALL_TALK_WORDS: Final = 6
"""Most words of a greeting: with more it says something."""

_WEAK_WORDS: Final = "good there you very much a lot so see later night til dia tag day do pa до день"
_WEAK: Final = frozenset(_WEAK_WORDS.split())
"""Words that make no greeting by themselves."""


def small_talk(words: list[str]) -> str | None:
    """Which courtesy a message is, where it is nothing else: `greeting`, `thanks` or `parting`.

    Args:
        words: all of its words, in lower case.
    """
    if not 0 < len(words) <= SMALL_TALK_WORDS:
        return None
    for kind, known in _SMALL_TALK.items():
        if known.issuperset(words) and not _WEAK.issuperset(words):
            return kind
    return None
