"""Assent: whether somebody's words say yes or no to what they were asked, in the language of the conversation.

Only an answer that says nothing else counts: "yes, but cheaper" is no yes. The lists are of words that people answer
a question with; one may be said after another, and politeness around them says nothing.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from duologue.engine.spoken_words import plain

Verdict: TypeAlias = Literal["yes", "no", "unclear"]

ANSWER_CHARS: Final = 80
"""Longest text that is looked at: a plain yes or no is short."""

_YES: Final[Mapping[str, str]] = {
    "en": "yes|yeah|yep|yup|sure|of course|ok|okay|go ahead|do it|please do|confirm|confirmed|i confirm|approve"
    "|approved|i approve|correct|right|that is right|thats right|agreed|i agree|absolutely|certainly|definitely"
    "|sounds good|go for it|yes i do|yes you may|you may",
    "de": "ja|jawohl|jep|genau|klar|na klar|sicher|natürlich|gerne|gern|ok|okay|in ordnung|einverstanden|mach das"
    "|mach es|machen sie das|stimmt|richtig|bestätigt|ich bestätige|bestätigen|passt|auf jeden fall|unbedingt",
    "fr": "oui|ouais|si|daccord|bien sûr|ok|okay|vasy|allezy|allez y|vas y|je confirme|confirmé|confirmer|parfait"
    "|cest bon|exact|exactement|tout à fait|absolument|volontiers|certainement|entendu",
    "es": "sí|si|claro|claro que sí|por supuesto|vale|ok|okay|de acuerdo|adelante|hazlo|hágalo|confirmo|confirmado"
    "|correcto|exacto|está bien|desde luego|perfecto",
    "it": "sì|si|certo|certamente|va bene|ok|okay|daccordo|procedi|proceda|fallo|lo faccia|confermo|confermato"
    "|esatto|giusto|perfetto|come no|assolutamente",
    "pt": "sim|claro|claro que sim|com certeza|ok|okay|tudo bem|está bem|de acordo|pode|pode fazer|faça|faz isso"
    "|confirmo|confirmado|correto|exato|certo|perfeito|isso",
    "nl": "ja|jawel|jazeker|zeker|natuurlijk|ok|oké|okay|oke|akkoord|prima|goed|is goed|doe maar|doe het|klopt"
    "|ga je gang|graag|ik bevestig|bevestigd",
    "pl": "tak|jasne|pewnie|oczywiście|dobrze|ok|okej|zgoda|zgadzam się|potwierdzam|zrób to|proszę bardzo|zgadza się",
    "sv": "ja|japp|jo|visst|javisst|självklart|ok|okej|gärna|gör det|stämmer|bekräftar|jag bekräftar|absolut|bra",
    "tr": "evet|tabii|tabi|elbette|olur|tamam|peki|onaylıyorum|kabul|kabul ediyorum|doğru|yap",
    "ru": "да|ага|конечно|хорошо|ладно|ок|окей|согласен|согласна|подтверждаю|давай|давайте|верно|разумеется",
    "uk": "так|авжеж|звичайно|добре|гаразд|ок|згоден|згодна|підтверджую|давай|давайте|правильно",
    "ja": "はい|ええ|うん|お願いします|はいお願いします|いいです|いいですよ|大丈夫です|了解|了解です|オーケー"
    "|承認します|そうです|もちろん",
    "zh": "是|是的|好|好的|可以|行|没问题|同意|确认|对|对的|当然|嗯|是的可以|好的可以",
    "ko": "네|예|응|그래|그래요|좋아요|좋습니다|네 좋아요|맞아요|맞습니다|확인|확인했습니다|동의합니다|승인합니다"
    "|물론이죠",
    "ar": "نعم|أجل|بلى|طبعا|بالتأكيد|موافق|موافقة|حسنا|تمام|أوافق|أؤكد|تفضل",
    "hi": "हाँ|हां|जी|जी हाँ|जी हां|हाँ जी|हां जी|ठीक है|ठीक|बिल्कुल|ज़रूर|जरूर|सही है|मंज़ूर है|मंजूर है|कर दो|कर दीजिए",
}
"""Ways to say yes, in words as `spoken_words.plain` makes them."""

_NO: Final[Mapping[str, str]] = {
    "en": "no|nope|nah|dont|do not|dont do it|do not do it|please dont|stop|cancel|cancel it|never|no way|not now"
    "|rather not|deny|denied|i deny|reject|rejected|wrong|i dont want that|leave it|absolutely not|of course not"
    "|certainly not|not ok|not okay|i do not|i dont agree|i do not agree|i do not approve|i dont approve",
    "de": "nein|nö|nee|ne|nicht|lieber nicht|bitte nicht|auf keinen fall|stopp|stop|abbrechen|ablehnen|abgelehnt"
    "|lass es|lassen sie es|falsch|niemals|keinesfalls|nicht einverstanden|stimmt nicht|natürlich nicht|sicher nicht",
    "fr": "non|nan|pas question|surtout pas|arrête|arrêtez|annule|annulez|annuler|stop|jamais|pas maintenant"
    "|je refuse|refusé|refuser|pas daccord|je ne veux pas|bien sûr que non|absolument pas",
    "es": "no|nunca|jamás|para|pare|cancela|cancele|cancelar|mejor no|de ninguna manera|en absoluto|rechazo"
    "|rechazado|ahora no|no lo hagas|no lo haga|claro que no|por supuesto que no|no estoy de acuerdo",
    "it": "no|mai|ferma|fermati|annulla|annullare|meglio di no|assolutamente no|rifiuto|rifiutato|non ora|non farlo"
    "|non lo faccia|certo che no|non sono daccordo",
    "pt": "não|nunca|pare|para|cancela|cancele|cancelar|melhor não|de jeito nenhum|recuso|recusado|agora não"
    "|não faça|claro que não|não concordo",
    "nl": "nee|neen|niet|niet doen|liever niet|stop|annuleer|annuleren|nooit|weiger|ik weiger|afgewezen|niet akkoord"
    "|klopt niet|natuurlijk niet|zeker niet|doe maar niet",
    "pl": "nie|nigdy|stop|anuluj|przestań|lepiej nie|odmawiam|nie teraz|nie rób tego|nie zgadzam się|oczywiście że nie",
    "sv": "nej|nä|aldrig|stopp|avbryt|helst inte|inte nu|gör inte det|stämmer inte|absolut inte|jag nekar",
    "tr": "hayır|yok|olmaz|dur|iptal|iptal et|asla|istemiyorum|reddediyorum|şimdi değil|yapma|kabul etmiyorum",
    "ru": "нет|не надо|ни за что|стоп|отмена|отмени|отмените|никогда|не сейчас|отказываюсь|не согласен|не согласна"
    "|конечно нет|не нужно",
    "uk": "ні|не треба|нізащо|стоп|скасувати|скасуй|скасуйте|ніколи|не зараз|відмовляюся|не згоден|не згодна"
    "|звичайно ні",
    "ja": "いいえ|いや|いやです|だめ|だめです|ダメ|ダメです|やめて|やめてください|キャンセル|結構です|いりません"
    "|違います|お断りします",
    "zh": "不|不是|不要|不行|不可以|不用|不好|不同意|取消|拒绝|停|别|不对|没有",
    "ko": "아니|아니요|아니오|싫어요|안 돼요|안돼요|안 됩니다|안됩니다|취소|취소해 주세요|그만|거절합니다"
    "|하지 마세요|아닙니다",
    "ar": "لا|كلا|أبدا|لا أريد|توقف|إلغاء|ألغ|أرفض|مرفوض|غير موافق|لا أوافق|ليس الآن",
    "hi": "नहीं|नही|जी नहीं|ना|मत करो|मत कीजिए|रुको|रुकिए|रद्द|रद्द करो|रद्द करें|कभी नहीं|अभी नहीं|मंज़ूर नहीं|मंजूर नहीं",
}
"""Ways to say no."""

_POLITE: Final[Mapping[str, str]] = {
    "en": "please|thanks|thank you|that|it|well|oh|um|uh|hm",
    "de": "bitte|danke|vielen dank|doch|das|also|äh|hm",
    "fr": "merci|sil vous plaît|sil te plaît|euh|bon",
    "es": "gracias|por favor|bueno|eh",
    "it": "grazie|per favore|bene|eh",
    "pt": "obrigado|obrigada|por favor|bem|eh",
    "nl": "dank je|dank u|bedankt|alsjeblieft|alstublieft|hoor|eh",
    "pl": "proszę|dziękuję|no",
    "sv": "tack|snälla|eh",
    "tr": "lütfen|teşekkürler|teşekkür ederim",
    "ru": "пожалуйста|спасибо|ну",
    "uk": "будь ласка|дякую|ну",
    "ja": "どうぞ|ありがとう|ありがとうございます|えっと",
    "zh": "谢谢|请|吧|了|的",
    "ko": "감사합니다|고마워요|음",
    "ar": "شكرا|من فضلك|رجاء",
    "hi": "धन्यवाद|शुक्रिया|कृपया",
}
"""What may stand around an answer without changing it."""

_AGAIN: Final[Mapping[str, str]] = {
    "en": "Please say yes or no: {prompt}",
    "de": "Bitte sagen Sie Ja oder Nein: {prompt}",
    "fr": "Répondez par oui ou par non, s’il vous plaît : {prompt}",
    "es": "Diga sí o no, por favor: {prompt}",
    "it": "Dica sì o no, per favore: {prompt}",
    "pt": "Diga sim ou não, por favor: {prompt}",
    "nl": "Zeg alstublieft ja of nee: {prompt}",
    "pl": "Proszę powiedzieć tak lub nie: {prompt}",
    "sv": "Svara ja eller nej, tack: {prompt}",
    "tr": "Lütfen evet ya da hayır deyin: {prompt}",
    "ru": "Скажите, пожалуйста, да или нет: {prompt}",
    "uk": "Скажіть, будь ласка, так чи ні: {prompt}",
    "ja": "「はい」か「いいえ」でお答えください。{prompt}",
    "zh": "请回答“是”或“不是”：{prompt}",
    "ko": "‘네’ 또는 ‘아니요’로 대답해 주세요. {prompt}",
    "ar": "من فضلك قل نعم أو لا: {prompt}",
    "hi": "कृपया हाँ या नहीं कहें: {prompt}",
}
"""What is said where an answer by voice was unclear."""

LANGUAGES: Final = tuple(_YES)
"""The languages in which words decide; in another one those of English do."""

_NO_SPACES: Final = frozenset({"ja", "zh"})
"""Written without spaces between words."""


def verdict(text: str, *languages: str) -> Verdict:
    """Tell what an answer says.

    Args:
        text: as typed or recognised.
        languages: BCP 47 tags that it may be in; where they disagree, nothing is clear.
    """
    if len(text) > ANSWER_CHARS:
        return "unclear"
    known = dict.fromkeys(map(_known, languages))
    said = {_in(plain(text), language) for language in known}
    if "yes" in said and "no" not in said:
        return "yes"
    return "no" if "no" in said and "yes" not in said else "unclear"


def again(prompt: str, language: str) -> str:
    """What is said to somebody whose answer was unclear: what is asked, and how to answer."""
    return _AGAIN[_known(language)].format(prompt=prompt)


def _known(language: str) -> str:
    primary = language.replace("_", "-").partition("-")[0].lower()
    return primary if primary in _YES else "en"


def _in(text: str, language: str) -> Verdict:
    """What an answer says in one language: yeses or noes alone, with politeness around them."""
    polite, spaced = phrases(language, "polite"), language not in _NO_SPACES
    if _only(text, phrases(language, "no"), polite, spaced=spaced):
        return "no"
    return "yes" if _only(text, phrases(language, "yes"), polite, spaced=spaced) else "unclear"


def _only(text: str, answers: tuple[str, ...], polite: tuple[str, ...], *, spaced: bool) -> bool:
    """Whether a text is nothing but these phrases and politeness, at least one phrase among them."""
    rest, found = text, False
    while rest:
        phrase = _first(rest, answers, spaced=spaced)
        found = found or phrase is not None
        phrase = phrase or _first(rest, polite, spaced=spaced)
        if phrase is None:
            return False
        rest = rest[len(phrase) :].lstrip()
    return found


def _first(text: str, known: tuple[str, ...], *, spaced: bool) -> str | None:
    """The longest of the phrases that a text begins with."""
    for phrase in known:
        if text.startswith(phrase) and (not spaced or text[len(phrase) : len(phrase) + 1] in ("", " ")):
            return phrase
    return None


@lru_cache(maxsize=64)
def phrases(language: str, kind: Literal["yes", "no", "polite"]) -> tuple[str, ...]:
    """A language's phrases as the words of a text are compared, the longest first."""
    lists = {"yes": _YES, "no": _NO, "polite": _POLITE}
    return tuple(sorted(filter(None, map(plain, lists[kind][language].split("|"))), key=len, reverse=True))
