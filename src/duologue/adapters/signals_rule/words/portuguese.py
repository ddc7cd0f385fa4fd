"""Portuguese."""

from typing import Final

from duologue.adapters.signals_rule.words.shape import Words

PORTUGUESE: Final = Words(
    frustration=(
        "!frustr*, irritant*, chate*, aborrec*, !estou farto, !estou farta, !farto de, !farta de, !de saco"
        " cheio, cansado de, cansada de, já chega, !chega disso, decepcion*, desilud*, desapont*, !não"
        " funciona, !não está funcionando, !não está a funcionar, !continua sem funcionar, não dá certo, ainda"
        " não, ainda nenhum*, ainda estou esperando, ainda à espera, continuo esperando, !outra vez, ~de novo,"
        " mais uma vez, novamente, pela terceira vez, pela segunda vez, toda vez, todas as vezes, sempre a"
        " mesma, há horas, há dias, há semanas, faz horas, nada funciona, nada acontece, nada resolve, ninguém"
        " responde, ninguém me ajuda, sem resposta, nenhuma resposta, inútil, não serve para nada, não"
        " adianta, perda de tempo, perdendo tempo, perder tempo, ~quebrado, ~quebrada, ~avariado, ~lento,"
        " ~lenta, já disse, já falei, já tentei, já expliquei, tentei de tudo, não foi isso que perguntei, não"
        " é isso que pedi, não me ouve*, dando voltas, desisto, ~ruim, ~mau, ~mal, ~problema, ~problemas,"
        " insatisf*, descontent*, ~infelizmente, me deixa louco, me deixa louca, complicado demais, ufa,"
        " impossível, péssim*"
    ),
    anger=(
        "!zangad*, !furios*, !indignad*, !revoltad*, !raiva, !odeio, !ódio, !nojo, nojent*, !vergonha,"
        " vergonhos*, inaceitável, intolerável, ridícul*, absurdo, escândalo, !golpe, !fraude, golpista*,"
        " !ladrões, ladrão, mentiros*, mentiras, !idiota*, imbecil*, !estúpid*, burr*, incompetent*, incapaz*,"
        " patétic*, como se atreve*, !cala a boca, cale a boca, !merda, !porra, !caralho, !puta, droga,"
        " maldit*, advogado, processar*, denunciar*, procon, nunca mais, !insult*, o pior, a pior, horrível,"
        " terrível, palhaçada, estão de brincadeira, gozar comigo"
    ),
    confusion=(
        "!confus*, !não entendo, !não entendi, !não percebo, !não percebi, não compreendo, não ficou claro,"
        " !não está claro, nenhuma ideia, não faço ideia, não sei como, não sei o que, não sei onde, não tenho"
        " certeza, não faz sentido, sem sentido, o que quer dizer, o que significa, o que isso significa, como"
        " assim, !estou perdid*, perdid* nisso, hã, como é que eu, pensei que, achei que, achava que,"
        " ~complicad*, mal entendid*, pode explicar, poderia explicar, me explica, explicar de novo,"
        " contradi*, desorientad*"
    ),
    urgency=(
        "!urgent*, !urgência, !emergência, !imediatamente, !de imediato, agora mesmo, !o quanto antes, o mais"
        " rápido possível, o mais depressa possível, já já, ~rápid*, ~depressa, ~logo, pressa, apress*, ~hoje,"
        " hoje mesmo, esta noite, ~amanhã, prazo, em uma hora, dentro de uma hora, numa hora, sem tempo, não"
        " tenho tempo, não há tempo, não posso esperar, não pode esperar, ~agora, antes que seja tarde, meu"
        " voo, asap, crítico"
    ),
    satisfaction=(
        "obrigado, obrigada, muito obrigado, muito obrigada, valeu, bem, bom, boa, muito bem, gentil,"
        " simpátic*, útil, me ajudou, ajuda muito, ajudou muito, resolvido, resolveu, agora funciona, já"
        " funciona, funciona bem, consertado, perfeito, contente*, satisfeit*, fico feliz, de acordo, entendi"
        " obrigad*, ficou claro, está claro, fácil, simples, confiável, exatamente o que, era isso mesmo, sem"
        " problema, sem problemas, não há problema, ~ok, ~certo, ~beleza, muito melhor, ~melhor, gostei,"
        " gosto, recomendo, agradeç*, legal"
    ),
    delight=(
        "!adorei, !adoro, !amei, !amo, !fantástic*, !maravilhos*, !incrível, !excelente*, !sensacional,"
        " !espetacular, !encantad*, !emocionad*, !uau, !wow, !o melhor, !a melhor, bravo, viva, oba, me"
        " salvou, salvaram meu dia, !felicíssim*, !feliz, genial, magnífic*, ótim*, impressionante, brilhante,"
        " ~super, show de bola"
    ),
    negations="não, nunca, jamais, sem, nenhum, nenhuma, nada, tampouco, nem, mal",
    intensifiers=(
        "muito, realmente, tão, extremamente, totalmente, absolutamente, completamente, demais, super,"
        " bastante, muitíssimo, especialmente, incrivelmente, tanto, que, bem"
    ),
    diminishers="um pouco, ligeiramente, meio, mais ou menos, talvez, um tanto, não muito, um pouquinho, algo",
    turns="mas, porém, contudo, no entanto, embora, exceto, só que",
)
