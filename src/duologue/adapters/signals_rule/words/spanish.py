"""Spanish."""

from typing import Final

from duologue.adapters.signals_rule.words.shape import Words

SPANISH: Final = Words(
    frustration=(
        "!frustr*, molest*, fastidi*, !estoy harto, !estoy harta, !harto de, !harta de, !hasta las narices,"
        " cansado de, cansada de, me cansé, !ya basta, decepcion*, !no funciona, !no me funciona, !sigue sin"
        " funcionar, no sirve, no anda, todavía no, aún no, sigue sin, sigo sin, sigo esperando, !otra vez,"
        " una vez más, ~de nuevo, por tercera vez, por segunda vez, cada vez que, siempre lo mismo, una y otra"
        " vez, desde hace horas, hace horas, hace semanas, hace días que, llevo horas, llevo días, llevo"
        " semanas, nada funciona, nada sirve, no pasa nada, nadie responde, nadie contesta, nadie me ayuda,"
        " sin respuesta, ninguna respuesta, inútil, no sirve de nada, pérdida de tiempo, perdiendo el tiempo,"
        " perder el tiempo, ~roto, ~rota, ~lento, ~lenta, ya dije, ya lo dije, ya le dije, ya te dije, ya"
        " intenté, ya probé, he probado todo, no es lo que pregunté, no es lo que pedí, no me escucha*, damos"
        " vueltas, me rindo, ~malo, ~mal, ~problema, ~problemas, insatisf*, descontent*, ~desgraciadamente,"
        " ~lamentablemente, me vuelve loco, me vuelve loca, demasiado complicado, uf, imposible, pésim*"
    ),
    anger=(
        "!enojad*, !enfadad*, !furios*, !indign*, !cabread*, !rabia, !odio, !asco, asqueros*, !vergüenza,"
        " vergonzos*, inaceptable, intolerable, ridícul*, escándalo, !estafa, estafador*, !ladrones, ladrón,"
        " mentiros*, mentiras, !idiota*, imbécil*, !estúpid*, tont*, incompetent*, inepto*, patétic*, cómo se"
        " atreve*, !cállate, cállese, !mierda, !joder, !carajo, !coño, !maldit*, !pendej*, hijo de, abogado,"
        " denunciar*, demandar*, voy a denunciar, nunca más, !insult*, lo peor, el peor, la peor, horrible,"
        " espantos*, se burlan, burla, tomadura de pelo"
    ),
    confusion=(
        "!confus*, !confund*, !no entiendo, !no lo entiendo, no entendí, no comprendo, no me queda claro, !no"
        " está claro, ni idea, no sé cómo, no sé qué, no sé dónde, no estoy segur*, no tiene sentido, sin"
        " sentido, qué quiere decir, qué significa, a qué se refiere, !perdid* con, estoy perdid*, lios*, me"
        " hago un lío, cómo se supone, eh, pensé que, creía que, ~complicad*, malentendid*, puede explicar*,"
        " puedes explicar*, me explica*, explicar otra vez, contradic*, desconcert*, cómo así"
    ),
    urgency=(
        "!urgent*, !urgencia, !emergencia, !inmediatamente, !de inmediato, ahora mismo, !cuanto antes, lo"
        " antes posible, ya mismo, en seguida, enseguida, ~rápid*, ~pronto, date prisa, dese prisa, apúr*,"
        " tengo prisa, ~hoy, hoy mismo, esta noche, ~mañana, plazo, fecha límite, en una hora, sin tiempo, no"
        " tengo tiempo, no hay tiempo, no puedo esperar, no puede esperar, ~ahora, antes de que sea tarde, mi"
        " vuelo, asap, crítico"
    ),
    satisfaction=(
        "gracias, muchas gracias, bien, bueno, buena, muy bien, amable, útil, me ayudó, ayuda mucho,"
        " resuelto, solucionado, ya funciona, funciona bien, funciona ahora, arreglado, perfecto, content*,"
        " satisfech*, me alegr*, de acuerdo, entendido, queda claro, está claro, fácil, sencill*, fiable,"
        " justo lo que, exactamente lo que, sin problema, sin problemas, no hay problema, ~vale, ~ok, mucho"
        " mejor, ~mejor, me gusta, recomiendo, agradec*, listo"
    ),
    delight=(
        "!me encanta, encanta, !genial*, !fantástic*, !maravillos*, !increíble, !excelente*, !estupend*,"
        " !magnífic*, !encantad*, !emocionad*, !guau, !wow, !el mejor, !la mejor, espectacular, bravo, viva,"
        " yupi, me salvaste, me han salvado, !felicísim*, !feliz, fenomenal, buenísim*, impresionante, de"
        " maravilla, ~súper, brutal, olé"
    ),
    negations="no, nunca, jamás, sin, ningún, ninguna, ninguno, nada, tampoco, ni, apenas",
    intensifiers=(
        "muy, realmente, tan, extremadamente, totalmente, absolutamente, completamente, demasiado, súper,"
        " super, mucho, muchísimo, bastante, sumamente, especialmente, increíblemente, tanto, qué"
    ),
    diminishers="un poco, algo, ligeramente, más o menos, quizás, quizá, tal vez, un tanto, no muy, medio",
    turns="pero, sin embargo, aunque, no obstante, excepto, sino",
)
