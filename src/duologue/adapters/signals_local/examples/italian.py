"""Italian."""

from typing import Final

from duologue.adapters.signals_local.examples.shape import Examples

ITALIAN: Final = Examples(
    frustration="""
        Non funziona ancora e ho provato di tutto
        Aspetto da tre settimane ormai
        L'app si è chiusa di nuovo mentre pagavo
        Nessuno risponde alle mie mail, comincia a dare fastidio
        Perché devo rispiegarlo ogni volta
        Sono stufo di reimpostare la password
        Mi mandate sempre lo stesso link inutile
        Non è quello che ho chiesto, un'altra volta
        Si blocca all'ultimo passo ogni volta che provo
        Sono delusa, la riparazione non è servita a niente
        Non è successo niente dalla mia ultima chiamata
        Due ore in attesa per niente
    """,
    anger="""
        È uno scandalo, rivoglio i miei soldi
        Siete dei bugiardi e dei ladri
        Che vergogna, sono furioso con la vostra azienda
        Come osate addebitarmi due volte
        Vi denuncio
        Il peggior servizio mai visto, idioti
        Odio questa azienda, mai più da voi
        Smettetela di mentire, è una truffa
        Assolutamente inaccettabile, mi prendete in giro
        Sono arrabbiatissimo, mi passi il suo capo
        Stia zitto e mi dia una persona vera
        Questo è un furto, vado dall'avvocato
    """,
    confusion="""
        Non capisco a cosa si riferisce questo importo
        Quale dei due numeri intende
        Scusi, mi sono persa, dove devo cliccare
        Per me non ha senso
        Cosa significa attivazione in sospeso
        Pensavo fosse incluso, adesso non sono sicuro
        In che cosa è diverso dall'altro piano, non lo capisco
        Non ho idea di come configurarlo
        Può spiegarlo di nuovo, non è chiaro
        La lettera dice una cosa e il sito un'altra
        In che senso, cosa vuole dire
        Non so quale modulo mi serve
    """,
    urgency="""
        Deve essere fatto oggi, il mio volo parte tra due ore
        Sbrigatevi per favore, è un'emergenza
        Può farlo subito, non posso aspettare
        Deve arrivare prima di domattina
        È urgente, mi richiami immediatamente
        La scadenza è tra un'ora
        Mi serve una risposta al più presto
        Mi hanno rubato la carta, bloccatela subito
        Non c'è più tempo, l'evento comincia stasera
        Ci serve un tecnico immediatamente, si allaga la cantina
        Presto, devo uscire tra cinque minuti
        Ho molta fretta, date la precedenza per favore
    """,
    satisfaction="""
        Grazie, ha risolto
        Bene, adesso funziona
        È stato utile, grazie mille
        Perfetto, ho quello che mi serve
        Bene, questo risponde alla mia domanda
        Grazie per la risposta veloce
        Ok, adesso è chiaro, grazie
        Sono contenta del nuovo piano
        Bene, la consegna è arrivata in orario
        Tutto a posto di nuovo, grazie
        È stato facile, buon lavoro
        Sì, proprio quello che cercavo
    """,
    delight="""
        Wow, è fantastico, lo adoro
        Mi avete salvato la giornata, servizio meraviglioso
        La migliore assistenza che abbia mai avuto
        Incredibile, che velocità
        Sono entusiasta del mio nuovo telefono
        Siete stupendi, mille grazie davvero
        È geniale, assolutamente geniale
        Non riesco a credere quanto sia bello
        Ottimo, oltre ogni mia aspettativa
        Evviva, è arrivato un giorno prima
        Che splendida sorpresa, sono felicissima
        Cinque stelle, siete i migliori
    """,
    neutral="""
        Quali sono gli orari di apertura
        Vorrei cambiare il mio indirizzo
        Il mio numero d'ordine è 48213
        Spedite in Norvegia
        Dove trovo la mia fattura
        Vorrei prenotare una camera per due persone
        Quali metodi di pagamento accettate
        Mi chiamo Anna Rossi
        Mandate il contratto per posta per favore
        Il negozio è aperto la domenica
        Ho una domanda sulla mia tariffa
        Quanto costa il piano più grande
        Sì
        No
        Buongiorno
        Il secondo
    """,
)
