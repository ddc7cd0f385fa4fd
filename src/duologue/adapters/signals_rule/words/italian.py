"""Italian."""

from typing import Final

from duologue.adapters.signals_rule.words.shape import Words

ITALIAN: Final = Words(
    frustration=(
        "!frustr*, fastidi*, irritant*, !sono stufo, !sono stufa, !stufo di, !stufa di, !non ne posso più,"
        " stanco di, stanca di, ne ho abbastanza, adesso basta, ora basta, delus*, deludent*, !non funziona,"
        " !non mi funziona, !non funziona ancora, non va, ancora non, non ancora, ancora nessun*, sto ancora"
        " aspettando, aspetto ancora, !di nuovo, ~ancora, un'altra volta, ancora una volta, per la terza"
        " volta, per la seconda volta, ogni volta, sempre la stessa, da ore, da giorni, da settimane, aspetto"
        " da, niente funziona, non succede niente, nessuno risponde, nessuno mi aiuta, nessuna risposta,"
        " inutile, non serve a niente, perdita di tempo, perdere tempo, perdendo tempo, ~rotto, ~rotta,"
        " ~guasto, ~lento, ~lenta, già detto, già provato, già spiegato, ho provato tutto, provato di tutto,"
        " non è quello che ho chiesto, non mi ascolta*, giriamo in tondo, mi arrendo, ci rinuncio, ~male,"
        " ~problema, ~problemi, insoddisfatt*, scontent*, ~purtroppo, mi fa impazzire, troppo complicato,"
        " uffa, impossibile, scadent*"
    ),
    anger=(
        "!arrabbiat*, !furios*, !incazzat*, !indignat*, !rabbia, !odio, !schifo, !schifos*, !vergogna,"
        " vergognos*, vergognatevi, inaccettabile, intollerabile, ridicol*, scandalos*, !truffa, truffator*,"
        " ladri, bugiard*, bugie, !idiot*, !stupid*, imbecill*, cretin*, incompetent*, incapac*, patetic*,"
        " come osate, come si permette, !stai zitto, zitto, !merda, !cazzo, !vaffanculo, accidenti, maledett*,"
        " avvocato, denuncia*, mai più, !insult*, il peggiore, la peggiore, peggio di, orribile, terribile,"
        " pessim*, mi prendete in giro, presa in giro, fuori di me"
    ),
    confusion=(
        "!confus*, !non capisco, !non lo capisco, non ho capito, non comprendo, non mi è chiaro, !non è"
        " chiaro, poco chiaro, nessuna idea, non ho idea, non so come, non so cosa, non so dove, non sono"
        " sicur*, non ha senso, senza senso, cosa vuol dire, cosa significa, che significa, che vuol dire,"
        " cosa intende, !mi sono pers*, sono pers*, perpless*, eh, come dovrei, pensavo che, credevo che,"
        " ~complicat*, malintes*, può spiegar*, puoi spiegar*, mi spiega, spiegare di nuovo, contraddi*,"
        " disorientat*"
    ),
    urgency=(
        "!urgent*, !urgenza, !emergenza, !immediatamente, !subito, all'istante, !al più presto, il prima"
        " possibile, prima possibile, in questo momento, ~velocemente, ~presto, ~veloce, sbrig*, fate in"
        " fretta, ho fretta, di corsa, ~oggi, oggi stesso, stasera, ~domani, scadenza, entro un'ora, tra"
        " un'ora, non ho tempo, non c'è tempo, non posso aspettare, non può aspettare, ~adesso, prima che sia"
        " tardi, il mio volo, asap"
    ),
    satisfaction=(
        "grazie, grazie mille, bene, buono, buona, molto bene, gentil*, utile, mi ha aiutato, aiuta molto,"
        " risolto, ora funziona, adesso funziona, funziona bene, sistemato, perfetto, contento, contenta,"
        " soddisfatt*, mi fa piacere, d'accordo, capito grazie, ho capito, è chiaro, facile, semplice,"
        " affidabile, proprio quello che, esattamente quello, nessun problema, senza problemi, ~va bene, ~ok,"
        " molto meglio, ~meglio, mi piace, consiglio, apprezz*, a posto, tutto chiaro"
    ),
    delight=(
        "!adoro, !fantastic*, !meraviglios*, !incredibile, !eccellent*, !stupend*, !magnific*, !geniale,"
        " !entusiast*, !felicissim*, !felice, !wow, evviva, !il migliore, !la migliore, spettacolare,"
        " bravissim*, bravo, brava, urrà, mi avete salvato, mi ha salvato, splendid*, favolos*, ottim*,"
        " strepitos*, al settimo cielo, ~super, bellissim*"
    ),
    negations="non, mai, senza, nessun, nessuna, nessuno, niente, nulla, né, neanche, nemmeno, mica, no",
    intensifiers=(
        "molto, davvero, così, estremamente, totalmente, assolutamente, completamente, troppo, tanto,"
        " veramente, super, proprio, particolarmente, incredibilmente, che, del tutto"
    ),
    diminishers="un po, un po', leggermente, abbastanza, forse, piuttosto, non molto, più o meno, un pochino",
    turns="ma, però, tuttavia, anche se, eppure, tranne",
)
