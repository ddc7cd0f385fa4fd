"""French."""

from typing import Final

from duologue.adapters.signals_rule.words.shape import Words

FRENCH: Final = Words(
    frustration=(
        "!frustr*, énerv*, agaç*, agace, !j'en ai marre, !marre, !ras le bol, !j'en ai assez, assez de,"
        " lassé*, déçu*, décev*, !ne marche pas, !marche pas, !ne fonctionne pas, !fonctionne pas, !ne"
        " fonctionne toujours pas, !marche toujours pas, toujours pas, toujours rien, toujours aucun*, encore"
        " une fois, ~encore, une fois de plus, pour la troisième fois, la deuxième fois, à chaque fois, sans"
        " arrêt, depuis des heures, depuis des semaines, depuis des jours, j'attends depuis, j'attends"
        " toujours, ça fait des heures, rien ne marche, rien ne fonctionne, rien ne se passe, personne ne"
        " répond, personne ne m'aide, aucune réponse, pas de réponse, inutile, ne sert à rien, perte de temps,"
        " perds mon temps, ~en panne, ~lent, ~lente, pénible, déjà dit, déjà essayé, déjà expliqué, tout"
        " essayé, pas ce que j'ai demandé, vous ne m'écoutez pas, tourne en rond, tournons en rond,"
        " j'abandonne, je laisse tomber, ~mauvais, ~problème, ~problèmes, mécontent*, insatisf*,"
        " ~malheureusement, me rend fou, me rend folle, beaucoup trop long, trop compliqué, pfff, plante sans"
        " cesse, impossible de"
    ),
    anger=(
        "!en colère, !furieu*, !furax, !indigné*, !scandal*, !honte*, inadmissible, inacceptable, !révolt*,"
        " !je déteste, déteste, !dégueulasse, dégoût*, ridicule, n'importe quoi, se moque de moi, vous vous"
        " moquez, !foutre, !foutez, !arnaque, arnaqueur*, escroc*, voleur*, menteur*, mensonge*, !idiot*,"
        " imbécile*, !abruti*, crétin*, stupide*, incompétent*, incapable*, nul*, pathétique, comment osez, la"
        " ferme, !ta gueule, !merde, !putain, bordel, !connard*, !conneries, avocat, porter plainte, plus"
        " jamais, !insult*, le pire, la pire, horrible, affreux, lamentable, enrag*, hors de moi"
    ),
    confusion=(
        "!confus, !confuse, perplexe, !comprends pas, !comprends rien, !pas compris, compris rien, je ne vois"
        " pas, pas clair, !peu clair, aucune idée, sais pas comment, ne sais pas, sais pas quoi, sais pas où,"
        " pas sûr, pas sûre, n'a pas de sens, aucun sens, que voulez vous dire, qu'est ce que ça veut dire, ça"
        " veut dire quoi, !perdu, !perdue, embrouill*, hein, comment ça, je suis censé*, je pensais, je"
        " croyais, ~compliqué, malentendu, pouvez vous expliquer, pouvez vous m'expliquer, peux tu expliquer,"
        " expliquer encore, contradict*, m'y retrouve pas, pardon"
    ),
    urgency=(
        "!urgent*, !urgence, !d'urgence, !immédiatement, tout de suite, !au plus vite, dès que possible, le"
        " plus vite possible, le plus rapidement possible, sur le champ, dépêch*, ~vite, ~rapidement,"
        " ~aujourd'hui, ce soir, ~demain, délai, date limite, dans l'heure, dans une heure, pas le temps, plus"
        " le temps, peux plus attendre, peux pas attendre, ~maintenant, avant qu'il ne soit trop tard, mon"
        " vol, mon avion, pressé*, asap"
    ),
    satisfaction=(
        "merci, merci beaucoup, bien, bon, bonne, super merci, sympa, utile, m'a aidé, aide bien, résolu, ça"
        " marche, marche maintenant, fonctionne maintenant, réparé, parfait, content*, satisf*, ravi de, très"
        " bien, d'accord, compris merci, j'ai compris, c'est clair, simple, facile, fiable, exactement ce, pas"
        " de problème, aucun problème, pas de souci, ~ok, aimable, gentil*, beaucoup mieux, ~mieux, ça me"
        " plaît, recommande, impeccable, nickel, appréci*"
    ),
    delight=(
        "!j'adore, adore, !génial*, !fantastique, !formidable*, !merveilleu*, !extraordinaire*, !incroyable,"
        " !excellent*, !magnifique, !ravi, !ravie, !enchanté*, !enthousias*, !waouh, !wow, youpi, hourra, !le"
        " meilleur, !la meilleure, au top, trop bien, vous me sauvez, me sauvez la vie, sublime, !aux anges,"
        " bravo, ~super, épatant*, chapeau"
    ),
    negations="pas, ne, n', jamais, aucun, aucune, sans, rien, ni, guère, non, plus du tout",
    intensifiers=(
        "très, vraiment, tellement, extrêmement, totalement, absolument, complètement, si, trop, franchement,"
        " super, vachement, hyper, énormément, particulièrement, putain de, tout à fait, beaucoup"
    ),
    diminishers="un peu, légèrement, plutôt, assez, peut être, un tantinet, pas très, pas vraiment, relativement",
    turns="mais, cependant, pourtant, toutefois, sauf, par contre",
    negated_after=0,
)
