"""German."""

from typing import Final

from duologue.adapters.signals_rule.words.shape import Words

GERMAN: Final = Words(
    frustration=(
        "!frustrier*, !frust, genervt, nervt, nervig, nervt mich, ärgerlich, !ich habe genug, !habe es satt,"
        " !hab es satt, !habe die nase voll, !hab die nase voll, reicht es mir, mir reicht's, mir reicht es,"
        " langsam reicht, enttäusch*, !funktioniert nicht, !funktioniert immer noch nicht, !geht nicht, !geht"
        " immer noch nicht, klappt nicht, klappt immer noch nicht, geht schon wieder nicht, immer noch nicht,"
        " immer noch kein*, noch immer nicht, noch immer kein*, !schon wieder, ~wieder, ~wieder nicht, zum"
        " dritten mal, zum zweiten mal, jedes mal, seit stunden, seit wochen, seit tagen, warte seit, warte"
        " schon, warte immer noch, stundenlang, nichts hilft, nichts funktioniert, nichts passiert, niemand"
        " hilft, keiner hilft, niemand antwortet, keine antwort, nutzlos, sinnlos, zwecklos,"
        " zeitverschwendung, bringt nichts, ~kaputt, ~langsam, umständlich, ~mühsam, stürzt ständig ab, habe"
        " ich schon gesagt, hab ich schon gesagt, bereits gesagt, schon alles versucht, alles versucht, das"
        " habe ich nicht gefragt, drehen uns im kreis, ich gebe auf, gebe auf, ~schlecht, ~problem, ~probleme,"
        " unzufrieden, ~leider, treibt mich in den wahnsinn, macht mich wahnsinnig, unzuverlässig, viel zu"
        " lange, ~seufz, gefällt mir nicht, so schwer, warum ist das so"
    ),
    anger=(
        "!wütend, !stinksauer, !sauer, zornig, !empör*, !unverschämt*, !frechheit, !sauerei, !schweinerei,"
        " !skandal*, !hasse, kotzt mich an, zum kotzen, lächerlich, inakzeptabel, unmöglich von, untragbar,"
        " !betrug, betrüger*, !abzocke, abzocker*, verarsch*, lügner*, lügen, belogen, !idiot*, trottel, dumm,"
        " blöd*, !dämlich*, unfähig*, inkompetent*, peinlich, schämen sie sich, was fällt ihnen ein, !halt die"
        " klappe, halten sie den mund, verdammt*, !scheiß*, scheiss*, !scheiße, mist, !arsch*, zur hölle,"
        " anwalt, verklag*, anzeige erstatten, nie wieder, !beleidig*, schlimmste, furchtbar, schrecklich,"
        " miserabel, fassungslos, eine zumutung, ich bin stocksauer"
    ),
    confusion=(
        "!verwirr*, !verstehe nicht, !versteh nicht, verstehe das nicht, verstehe ich nicht, !verstehe nur"
        " bahnhof, nicht verstanden, kapiere nicht, kapier nicht, kapiere das nicht, begreife nicht, keine"
        " ahnung, weiß nicht wie, weiss nicht wie, weiß nicht was, weiß nicht wo, nicht sicher, unsicher,"
        " !unklar, nicht klar, ergibt keinen sinn, ergibt für mich keinen sinn, macht keinen sinn, was meinen"
        " sie, was meinst du, was heißt das, was heisst das, was bedeutet das, was soll das heißen,"
        " durcheinander, hä, wie bitte, wie soll ich, ich dachte, ~kompliziert, missverst*, können sie das"
        " erklären, kannst du das erklären, nochmal erklären, blicke nicht durch, blick nicht durch, steige"
        " nicht durch, ratlos, widerspr*"
    ),
    urgency=(
        "!dringend*, !eilig, !eilt, !notfall, !sofort, umgehend, !schnellstmöglich, so schnell wie möglich,"
        " unverzüglich, auf der stelle, jetzt gleich, ~schnell, beeil*, ~heute, heute noch, ~morgen, frist,"
        " bis heute abend, innerhalb einer stunde, in einer stunde, keine zeit, zeit läuft, kann nicht länger"
        " warten, kann nicht warten, ~jetzt, lebenswichtig, zeitkritisch, bevor es zu spät, in wenigen"
        " minuten, mein flug, höchste zeit, asap"
    ),
    satisfaction=(
        "danke, dankeschön, vielen dank, gut, schön, prima, nett, hilfreich, hilft mir, geholfen, gelöst,"
        " funktioniert jetzt, funktioniert wieder, geht jetzt, klappt jetzt, hat geklappt, es klappt, läuft"
        " wieder, perfekt, passt, zufrieden, freut mich, freue mich, froh, alles klar, verstanden, einfach,"
        " zuverlässig, nützlich, genau das, in ordnung, kein problem, keine probleme, ~okay, freundlich, super"
        " danke, viel besser, ~besser, gefällt mir, empfehle, gern, erledigt, reibungslos, dank ihnen"
    ),
    delight=(
        "!liebe, !großartig*, !grossartig*, !fantastisch*, !phantastisch*, !wunderbar*, !hervorragend*,"
        " !genial*, !begeister*, !klasse, !spitze, !toll, !wow, hurra, juhu, !unglaublich gut, !überglücklich,"
        " !das beste, bester service, ausgezeichnet, !mein tag gerettet, sie sind der hammer, der hammer,"
        " !mega, traumhaft, hin und weg, lebensretter*, ~super, sensationell, überwältigt, !überwältigend,"
        " entzückt"
    ),
    negations=(
        "nicht, kein, keine, keinen, keinem, keiner, keinerlei, nie, niemals, ohne, nichts, kaum, weder,"
        " nimmer, net, nix"
    ),
    intensifiers=(
        "sehr, wirklich, so, extrem, total, absolut, völlig, komplett, unglaublich, zu, echt, richtig,"
        " besonders, höchst, überaus, äußerst, ziemlich, mega, verdammt, wahnsinnig, furchtbar, ganz, viel"
    ),
    diminishers=(
        "ein bisschen, ein wenig, etwas, leicht, eher, vielleicht, einigermaßen, bisschen, nicht sehr, halbwegs"
    ),
    turns="aber, jedoch, allerdings, trotzdem, dennoch, sondern, doch",
    negated_after=3,
)
