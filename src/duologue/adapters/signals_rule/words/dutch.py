"""Dutch."""

from typing import Final

from duologue.adapters.signals_rule.words.shape import Words

DUTCH: Final = Words(
    frustration=(
        "!gefrustreerd*, !frustrerend*, !frustratie, geïrriteerd*, irritant*, vervelend*, !ik ben het zat,"
        " !het zat, !ben er klaar mee, !heb er genoeg van, genoeg van, beu, teleurgesteld, teleurstell*,"
        " !werkt niet, !werkt nog steeds niet, !doet het niet, !doet het nog steeds niet, lukt niet, lukt nog"
        " steeds niet, nog steeds niet, nog steeds geen, nog altijd niet, nog altijd geen, wacht nog steeds,"
        " wacht al, zit al, !alweer, !weer niet, ~weer, nog een keer, voor de derde keer, voor de tweede keer,"
        " elke keer, telkens, keer op keer, al uren, al dagen, al weken, urenlang, niets werkt, niets helpt,"
        " er gebeurt niets, niemand helpt, niemand antwoordt, geen antwoord, nutteloos, zinloos,"
        " tijdverspilling, verspil mijn tijd, ~kapot, ~stuk, ~traag, ~langzaam, omslachtig, al gezegd, al"
        " geprobeerd, al uitgelegd, alles geprobeerd, dat vroeg ik niet, niet wat ik vroeg, luistert niet,"
        " draaien in cirkels, ik geef het op, geef het op, ~slecht, ~probleem, ~problemen, ontevreden,"
        " ~helaas, maakt me gek, word er gek van, veel te lang, te ingewikkeld, zucht, onmogelijk"
    ),
    anger=(
        "!boos, !woedend, !woest, !razend, !kwaad, pisnijdig, !verontwaardigd, !schandalig*, !schande, !haat,"
        " walgelijk, onacceptabel, belachelijk, ongehoord, !oplichting, oplichters, oplichter, bedrog,"
        " bedriegers, leugenaar*, leugens, !idioot, !idioten, sukkel*, dom, stom*, achterlijk, incompetent,"
        " onbekwaam, zielig, schaam je, hoe durf je, hoe durven jullie, !hou je mond, !hou je kop, verdomme,"
        " !godverdomme, !klote, !kut, !rot op, advocaat, aanklagen, aangifte, nooit meer, !beledig*, de"
        " ergste, slechtste, vreselijk, verschrikkelijk, afschuwelijk, waardeloos"
    ),
    confusion=(
        "!verward, !verwarrend*, !in de war, !begrijp niet, !snap niet, begrijp het niet, snap het niet, snap"
        " er niets van, begrijp er niets van, !snap er niks van, niet begrepen, geen idee, weet niet hoe, weet"
        " niet wat, weet niet waar, niet zeker, onzeker, !onduidelijk, niet duidelijk, slaat nergens op,"
        " logisch is dat niet, niet logisch, wat bedoel je, wat bedoelt u, wat betekent dat, wat betekent dit,"
        " de weg kwijt, huh, hoe bedoel je, hoe moet ik, ik dacht dat, ~ingewikkeld, misverstand, kunt u"
        " uitleggen, kun je uitleggen, kan je uitleggen, nog eens uitleggen, tegenstrijdig*, wat zegt u"
    ),
    urgency=(
        "!dringend*, !spoed, !noodgeval, !onmiddellijk, !meteen, direct, !zo snel mogelijk, per direct, nu"
        " meteen, haast, ~snel, schiet op, opschieten, ~vandaag, vandaag nog, vanavond, ~morgen, deadline,"
        " binnen een uur, over een uur, geen tijd, tijd dringt, kan niet wachten, kan niet langer wachten,"
        " ~nu, voordat het te laat is, mijn vlucht, asap, levensbelang"
    ),
    satisfaction=(
        "bedankt, dank je, dank u, dankjewel, dankuwel, dank, goed, mooi, fijn, prima, aardig, behulpzaam,"
        " nuttig, geholpen, helpt me, opgelost, werkt nu, werkt weer, doet het weer, gelukt, perfect,"
        " tevreden, blij, akkoord, begrepen, duidelijk zo, het is duidelijk, makkelijk, eenvoudig,"
        " betrouwbaar, precies wat, geen probleem, geen problemen, ~oké, ~oke, ~ok, vriendelijk, veel beter,"
        " ~beter, bevalt me, raad aan, aanrader, waardeer, in orde, top bedankt, leuk"
    ),
    delight=(
        "!geweldig*, !fantastisch*, !schitterend*, !uitstekend*, !briljant*, !prachtig*, !ongelooflijk goed,"
        " !super blij, !dolblij, !dolgelukkig, !enthousiast, !wauw, !wow, hoera, joepie, !de beste, !het"
        " beste, hou van, !ik hou van, mijn dag gered, redder in nood, te gek, grandioos, helemaal top,"
        " subliem, ~super, ~top, verrukt, overweldigend*"
    ),
    negations="niet, geen, nooit, zonder, niets, niks, nauwelijks, noch, nimmer",
    intensifiers=(
        "heel, erg, zeer, echt, zo, extreem, totaal, absoluut, volledig, ongelooflijk, te, super, enorm,"
        " bijzonder, ontzettend, verschrikkelijk, mega, helemaal, veel"
    ),
    diminishers="een beetje, beetje, enigszins, iets, nogal, misschien, lichtelijk, niet erg, tamelijk",
    turns="maar, echter, toch, hoewel, alleen",
    negated_after=3,
)
