"""German."""

from typing import Final

from duologue.adapters.signals_local.examples.shape import Examples

GERMAN: Final = Examples(
    frustration="""
        Das funktioniert immer noch nicht, ich habe alles versucht
        Ich warte jetzt seit drei Wochen
        Schon wieder ist die App beim Bezahlen abgestürzt
        Niemand beantwortet meine Mails, das nervt langsam
        Warum muss ich das jedes Mal neu erklären
        Ich habe es satt, ständig mein Passwort zurückzusetzen
        Sie schicken mir immer denselben nutzlosen Link
        Das habe ich nicht gefragt
        Es bricht jedes Mal im letzten Schritt ab
        Ich bin enttäuscht, die Reparatur hat nichts gebracht
        Seit meinem letzten Anruf ist nichts passiert
        Zwei Stunden Warteschleife für nichts
    """,
    anger="""
        Das ist eine Unverschämtheit, ich will mein Geld zurück
        Sie sind Lügner und Betrüger
        So eine Frechheit, ich bin stinksauer
        Was fällt Ihnen ein, zweimal abzubuchen
        Ich werde Sie verklagen
        Der schlechteste Service überhaupt, lauter Idioten
        Ich hasse diese Firma, nie wieder kaufe ich hier
        Hören Sie auf zu lügen, das ist Abzocke
        Absolut inakzeptabel, wollen Sie mich verarschen
        Ich bin wütend, holen Sie Ihren Chef
        Halten Sie den Mund und geben Sie mir einen Menschen
        Das ist Diebstahl, ich erstatte Anzeige
    """,
    confusion="""
        Ich verstehe nicht, wofür dieser Betrag ist
        Welche der beiden Nummern meinen Sie
        Entschuldigung, ich blicke nicht durch, wo muss ich klicken
        Das ergibt für mich keinen Sinn
        Was bedeutet Aktivierung ausstehend
        Ich dachte, das sei enthalten, jetzt bin ich unsicher
        Worin unterscheidet sich das vom anderen Tarif, ich verstehe es nicht
        Ich habe keine Ahnung, wie man das einrichtet
        Können Sie das nochmal erklären, es ist nicht klar
        Im Brief steht etwas anderes als auf der Webseite
        Wie meinen Sie das denn
        Ich weiß nicht, welches Formular ich brauche
    """,
    urgency="""
        Das muss heute noch gehen, mein Flug geht in zwei Stunden
        Bitte beeilen Sie sich, es ist ein Notfall
        Geht das sofort, ich kann nicht warten
        Es muss vor morgen früh ankommen
        Es ist dringend, rufen Sie mich umgehend zurück
        Die Frist läuft in einer Stunde ab
        Ich brauche schnellstmöglich eine Antwort
        Meine Karte wurde gestohlen, sperren Sie sie sofort
        Es bleibt keine Zeit, die Veranstaltung beginnt heute Abend
        Wir brauchen sofort einen Techniker, der Keller läuft voll
        Schnell, ich muss in fünf Minuten los
        Es eilt sehr, bitte vorziehen
    """,
    satisfaction="""
        Danke, das hat es gelöst
        Prima, jetzt geht es
        Das war hilfreich, vielen Dank
        Perfekt, ich habe alles was ich brauche
        Gut, das beantwortet meine Frage
        Danke für die schnelle Antwort
        Okay, jetzt ist es klar, danke
        Ich bin mit dem neuen Tarif zufrieden
        Schön, die Lieferung kam pünktlich
        Alles wieder in Ordnung, herzlichen Dank
        Das war einfach, gut gemacht
        Ja, genau das habe ich gesucht
    """,
    delight="""
        Wow, das ist großartig, ich liebe es
        Sie haben meinen Tag gerettet, fantastischer Service
        Der beste Support, den ich je hatte
        Unglaublich, das ging ja schnell
        Ich bin begeistert von meinem neuen Handy
        Sie sind wunderbar, tausend Dank
        Das ist genial, absolut genial
        Ich kann kaum glauben, wie gut das ist
        Klasse, alle Erwartungen übertroffen
        Juhu, es kam einen Tag früher
        Was für eine tolle Überraschung, ich bin überglücklich
        Fünf Sterne, Sie sind der Hammer
    """,
    neutral="""
        Wann haben Sie geöffnet
        Ich möchte meine Adresse ändern
        Meine Bestellnummer ist 48213
        Liefern Sie nach Norwegen
        Wo finde ich meine Rechnung
        Ich möchte ein Zimmer für zwei Personen buchen
        Welche Zahlungsarten nehmen Sie an
        Mein Name ist Anna Schmidt
        Bitte schicken Sie den Vertrag per Post
        Ist der Laden am Sonntag offen
        Ich habe eine Frage zu meinem Tarif
        Was kostet der größere Tarif
        Ja
        Nein
        Hallo
        Das zweite
    """,
)
