"""Dutch."""

from typing import Final

from duologue.adapters.signals_local.examples.shape import Examples

DUTCH: Final = Examples(
    frustration="""
        Het werkt nog steeds niet en ik heb alles geprobeerd
        Ik wacht nu al drie weken
        De app liep alweer vast tijdens het betalen
        Niemand beantwoordt mijn mails, het wordt echt vervelend
        Waarom moet ik dit elke keer opnieuw uitleggen
        Ik ben het zat om steeds mijn wachtwoord te wijzigen
        Jullie sturen telkens dezelfde nutteloze link
        Dat vroeg ik niet, nog een keer
        Het mislukt elke keer bij de laatste stap
        Ik ben teleurgesteld, de reparatie heeft niets geholpen
        Er is niets gebeurd sinds mijn laatste telefoontje
        Twee uur in de wacht voor niets
    """,
    anger="""
        Dit is schandalig, ik wil mijn geld terug
        Jullie zijn leugenaars en dieven
        Wat een schande, ik ben woedend op jullie bedrijf
        Hoe durven jullie twee keer af te schrijven
        Ik ga jullie aanklagen
        De slechtste service ooit, stelletje idioten
        Ik haat dit bedrijf, nooit meer koop ik hier
        Stop met liegen, dit is oplichting
        Volstrekt onacceptabel, nemen jullie me in de maling
        Ik ben razend, haal je baas erbij
        Hou je mond en geef me een mens
        Dit is diefstal, ik doe aangifte
    """,
    confusion="""
        Ik begrijp niet waar dit bedrag voor is
        Welk van de twee nummers bedoelt u
        Sorry, ik ben de weg kwijt, waar moet ik klikken
        Dit slaat voor mij nergens op
        Wat betekent activering in behandeling
        Ik dacht dat het inbegrepen was, nu weet ik het niet zeker
        Wat is het verschil met het andere abonnement, ik snap het niet
        Ik heb geen idee hoe ik dit moet instellen
        Kunt u dat nog eens uitleggen, het is niet duidelijk
        In de brief staat iets anders dan op de website
        Hoe bedoelt u dat
        Ik weet niet welk formulier ik nodig heb
    """,
    urgency="""
        Het moet vandaag nog, mijn vlucht gaat over twee uur
        Schiet op alsjeblieft, het is een noodgeval
        Kan het meteen, ik kan niet wachten
        Het moet voor morgenochtend aankomen
        Het is dringend, bel me onmiddellijk terug
        De deadline is over een uur
        Ik heb zo snel mogelijk een antwoord nodig
        Mijn pas is gestolen, blokkeer hem direct
        Er is geen tijd meer, het evenement begint vanavond
        We hebben meteen een monteur nodig, de kelder loopt onder
        Snel, ik moet over vijf minuten weg
        Er is veel haast bij, graag voorrang geven
    """,
    satisfaction="""
        Bedankt, dat heeft het opgelost
        Mooi, nu werkt het
        Dat was behulpzaam, dank u wel
        Perfect, ik heb wat ik nodig heb
        Goed, dat beantwoordt mijn vraag
        Bedankt voor het snelle antwoord
        Oké, nu is het duidelijk, dank je
        Ik ben tevreden met het nieuwe abonnement
        Fijn, de levering kwam op tijd
        Alles weer in orde, hartelijk dank
        Dat was makkelijk, goed gedaan
        Ja, precies wat ik zocht
    """,
    delight="""
        Wauw, dit is geweldig, ik hou ervan
        Jullie hebben mijn dag gered, fantastische service
        De beste klantenservice die ik ooit heb gehad
        Ongelooflijk, wat ging dat snel
        Ik ben dolblij met mijn nieuwe telefoon
        Jullie zijn schatten, duizendmaal dank
        Dit is briljant, werkelijk briljant
        Ik kan niet geloven hoe goed dit is
        Schitterend, al mijn verwachtingen overtroffen
        Joepie, het kwam een dag eerder
        Wat een prachtige verrassing, ik ben dolgelukkig
        Vijf sterren, jullie zijn top
    """,
    neutral="""
        Wat zijn de openingstijden
        Ik wil graag mijn adres wijzigen
        Mijn bestelnummer is 48213
        Leveren jullie in Noorwegen
        Waar vind ik mijn factuur
        Ik wil een kamer boeken voor twee personen
        Welke betaalmethoden accepteren jullie
        Mijn naam is Anna Smit
        Stuur het contract per post alstublieft
        Is de winkel op zondag open
        Ik heb een vraag over mijn tarief
        Hoeveel kost het grotere abonnement
        Ja
        Nee
        Hallo
        De tweede
    """,
)
