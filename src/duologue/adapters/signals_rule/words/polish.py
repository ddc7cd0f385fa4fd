"""Polish."""

from typing import Final

from duologue.adapters.signals_rule.words.shape import Words

POLISH: Final = Words(
    frustration=(
        "!frustr*, denerwuj*, irytuj*, wkurza mnie, !mam dość, !mam tego dość, !mam dosyć, dość tego,"
        " męczące, rozczarowa*, zawiedzion*, !nie działa, !nadal nie działa, !wciąż nie działa, !nie chce"
        " działać, nie da się, nie udaje się, nadal nie, wciąż nie, nadal brak, wciąż brak, ciągle nie, nadal"
        " czekam, wciąż czekam, czekam od, !znowu, !znów, ~ponownie, po raz trzeci, po raz drugi, za każdym"
        " razem, w kółko, od godzin, od kilku godzin, od tygodni, od dni, godzinami, nic nie działa, nic nie"
        " pomaga, nic się nie dzieje, nikt nie odpowiada, nikt mi nie pomaga, nikt nie pomaga, brak"
        " odpowiedzi, żadnej odpowiedzi, bezużyteczn*, bez sensu to, strata czasu, tracę czas, ~zepsut*,"
        " ~wolno, ~powoln*, już mówił*, już pisał*, już próbował*, próbował* wszystkiego, nie o to pytał*, nie"
        " słucha*, kręcimy się w kółko, poddaję się, ~słab*, ~źle, ~problem, ~problemy, niezadowol*,"
        " ~niestety, doprowadza mnie do szału, za długo, zbyt skomplikowane, ech, niemożliwe"
    ),
    anger=(
        "!wściekł*, !zły jestem, !jestem zły, !jestem zła, !wkurzon*, !wkurwi*, !oburz*, !skandal*,"
        " !nienawidzę, !żenad*, żałosn*, wstyd, hańba, niedopuszczaln*, nie do przyjęcia, śmieszne, kpina,"
        " kpiny, !oszustwo, !oszuści, oszust*, złodziej*, kłamc*, kłamstw*, !idiot*, !debil*, głup*, kretyn*,"
        " niekompetent*, nieudaczni*, jak śmiecie, !zamknij się, cholera, cholern*, !kurwa, !gówno, do diabła,"
        " prawnik*, pozw*, zgłoszę was, nigdy więcej, !obraż*, najgorsz*, okropn*, straszn*, fataln*,"
        " bezczeln*"
    ),
    confusion=(
        "!nie rozumiem, !nie zrozumiał*, !nic nie rozumiem, zdezorientowan*, zagubion*, pogubił*,"
        " zakłopotan*, niejasn*, !nie jest jasne, nie mam pojęcia, nie wiem jak, nie wiem co, nie wiem gdzie,"
        " nie jestem pewien, nie jestem pewna, to nie ma sensu, nie ma sensu, co to znaczy, co to oznacza, co"
        " masz na myśli, co pan ma na myśli, o co chodzi, hę, jak mam, myślał* że, wydawało mi się,"
        " ~skomplikowan*, nieporozumieni*, możesz wyjaśnić, może pan wyjaśnić, proszę wyjaśnić, wyjaśnić"
        " jeszcze raz, sprzeczn*"
    ),
    urgency=(
        "!pilne, !pilnie, !piln*, !natychmiast, !awari*, nagły wypadek, !jak najszybciej, od razu, w tej"
        " chwili, ~szybko, pospiesz*, pośpiesz*, ~dzisiaj, ~dziś, jeszcze dziś, dziś wieczorem, ~jutro,"
        " termin, w ciągu godziny, za godzinę, nie mam czasu, brak czasu, nie mogę czekać, nie mogę dłużej"
        " czekać, ~teraz, zanim będzie za późno, mój lot, niezwłocznie, asap, bezzwłocznie"
    ),
    satisfaction=(
        "dzięki, dziękuję, dziękuje, dziekuje, dobrze, dobry, miło, pomocn*, przydatn*, pomogło, pomógł*,"
        " rozwiązan*, już działa, teraz działa, działa dobrze, naprawion*, idealnie, zadowolon*, cieszę się,"
        " zgoda, rozumiem już, zrozumiałem, zrozumiałam, wszystko jasne, jasne dzięki, łatw*, prost*,"
        " niezawodn*, dokładnie to, nie ma problemu, bez problemu, żaden problem, ~okej, ~ok, ~jasne,"
        " uprzejm*, dużo lepiej, ~lepiej, podoba mi się, polecam, doceniam, w porządku"
    ),
    delight=(
        "!kocham, !uwielbiam, !wspania*, !fantastyczn*, !niesamowit*, !rewelac*, !cudown*, !genialn*,"
        " !doskona*, !zachwyc*, !super super, !wow, hura, !najleps*, świetn*, znakomit*, uratował*,"
        " !przeszczęśliw*, szczęśliw*, bomba, ekstra, brawo, ~super, bajecz*, pięknie"
    ),
    negations="nie, nigdy, bez, żaden, żadna, żadne, żadnego, nic, ani, wcale, ledwo",
    intensifiers=(
        "bardzo, naprawdę, tak, strasznie, totalnie, absolutnie, całkowicie, niesamowicie, zbyt, za,"
        " ogromnie, wyjątkowo, szczególnie, mega, super, cholernie, dużo, jak"
    ),
    diminishers="trochę, nieco, lekko, może, raczej, odrobinę, nie bardzo, w miarę, dość",
    turns="ale, jednak, chociaż, lecz, mimo to, tylko że",
)
