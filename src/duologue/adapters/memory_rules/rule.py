"""What a rule is: a way in which people say something of themselves, and what is remembered of it."""

from collections.abc import Mapping
from typing import NamedTuple

from duologue.model.memory import MemoryKind


class Rule(NamedTuple):
    """One way of saying something.

    Attributes:
        pattern: of a part of a sentence. `{V}` stands for some words (the group `v`), `{N}` for a name (`v` too); what
            else is needed are groups of their own.
        text: what is remembered, with the groups by their names.
        key: what it is about, with the groups in lower case; see `ports.memory.Learnt`.
        timed: only where the sentence tells a time; the day on which it was said is noted with it.
    """

    kind: MemoryKind
    key: str
    importance: float
    pattern: str
    text: str
    timed: bool = False


class Topic(NamedTuple):
    """Something that may be forgotten by its name, such as an address."""

    pattern: str
    keys: tuple[str, ...]


class Tongue(NamedTuple):
    """What one language has. Patterns are of lower and upper case alike.

    Attributes:
        rules: in the order in which they are tried; all that fit are taken.
        over: rules of what is not so any more: what has their key, and holds their value, is forgotten.
        stops: what ends a value within a sentence.
        times: words that tell a time.
        unless: what makes a sentence no statement, at its beginning.
        not_values: what a value may not begin with.
        articles: what a value loses at its beginning, for its key.
        fillers: words of a clause by which nothing is found.
        remember: what asks to remember the clause `v`.
        forget: what asks to forget the clause `v`.
        everything: what clauses mean all of it.
        nothing: clauses that mean nothing that is remembered.
        topics: what may be forgotten by its name.
        said: how the day is noted on which something was said, with `{day}`.
        told: how a clause is noted that no rule knows, with `{v}`.
        relations: people and pets, by their word, with the word that is kept.
    """

    rules: tuple[Rule, ...]
    over: tuple[Rule, ...]
    stops: str
    times: str
    unless: str
    not_values: str
    articles: str
    fillers: str
    remember: str
    forget: str
    everything: str
    nothing: str
    topics: tuple[Topic, ...]
    said: str
    told: str
    relations: Mapping[str, str]


WORDS: Mapping[str, str] = {
    "name": "name called nom nombre heisst naam nome chiamo llamo appelle heet",
    "call": "name called address nennen anreden nom nombre noemen chiamare chamar",
    "home": "home live lives city town place address weather local wohne wohnort zuhause stadt adresse wetter habite ville"
    " meteo chez vivo casa ciudad tiempo abito citta cidade moro woon stad weer",
    "origin": "from origin country born komme herkunft land pays viens pais vengo origine origem kom",
    "job": "job work profession do career beruf arbeit arbeite metier travail trabajo profesion lavoro trabalho werk beroep",
    "employer": "company employer work firma arbeitgeber entreprise travaille empresa trabajo azienda bedrijf werk",
    "age": "age old alter alt ans anos edad eta anni idade leeftijd oud jaar",
    "birthday": "birthday born geburtstag anniversaire cumpleanos compleanno aniversario verjaardag",
    "diet": "eat food diet meal restaurant recipe cook essen ernaehrung rezept kochen manger repas recette comer comida"
    " receta mangiare ricetta cibo comer receita eten recept",
    "allergy": "allergy allergic eat food medicine recipe allergie essen rezept manger recette alergia comida receta"
    " allergia cibo receita eten",
    "taste": "like love prefer favourite mag gern lieber bevorzuge aime prefere gusta prefiero piace preferisco gosto prefiro hou",
    "favourite": "favourite favorite like best lieblings prefere favori favorito preferito voorkeur",
    "manner": "answer speak write how style antworte sprich schreibe reponds parle ecris responde habla rispondi parla antwoord",
    "person": "family friend wife husband child familie freund frau mann kind famille ami femme mari enfant familia amigo"
    " esposa marido hijo famiglia moglie marito figlio mulher filho familie vriend vrouw",
    "pet": "pet dog cat animal haustier hund katze animal chien chat mascota perro gato animale cane gatto huisdier hond kat",
    "has": "have own habe besitze ai tengo ho tenho heb",
}
"""Words by which memories of a kind of key are found, without accents: what people ask with, in all languages."""
