"""Words that say nothing about a topic, and ways to greet and ask, in English and German.

Words are written as the index sees them: lower case, without accents, cut at apostrophes.
"""

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP: Final = _words(
    """
    a an the and or but nor so if then than as at by for from in into of off on onto out over per to up
    with without about above after again against all also am any are aren be because been before being
    below between both can cannot could couldn did didn do does doesn doing don done down during each
    else etc ever every few further get gets getting go goes going got had hadn has hasn have haven
    having he her here hers him his how i is isn it its itself just know let like ll me more most much
    must my myself no not now only other our ours own please re really same say says shall she should
    shouldn show since some still such tell that their theirs them themselves there these they this
    those through till too under until us ve very via want was wasn we were weren what whats when where
    whether which while who whom whose why will won would wouldn you your yours yourself s t d m o im hi
    hello hey thanks thank explain describe mean means meaning maybe actually aber alle allem allen
    aller alles als auch auf aus bei beim bin bis bist bitte da damit dann das dass davon dazu dein
    deine dem den denn der des die dies diese diesem diesen dieser dieses doch dort du durch ein eine
    einem einen einer eines er erklar erklare erzahl erzahle es etwas euch euer fur gegen gibt habe
    haben hat hatte ich ihm ihn ihr ihre ins ist ja jede jeden jeder jedes jetzt kann kannst kein keine
    konnen man mehr mein meine mich mir mit mal muss mussen nach nein nicht noch nun nur ob oder ohne
    sag sage sehr sein seine sich sie sind soll sollte uber um und uns unser unter vom von vor war warum
    wegen weil wenn wer werden wie wieder wir wird wo wohin womit wozu zeig zeige zu zum zur
    """
)
"""Left out of a search."""

SOFT: Final = _words(
    """
    work works working use used uses using make makes made need needs thing things way ways possible
    different difference kind kinds type types example examples detail details info information number
    numbers new good best help helps find give gives take takes happen happens available one two first
    exactly usually actually question current currently simple easy quickly right correct allowed able
    many long often word words bit lot someone people person change changes set sets maximum minimum max min
    size version versions option options support supports supported default run runs start allow possible
    funktioniert geht gehen macht machen
    mache nutzen benutzen verwenden brauche braucht beispiel informationen art gute neue
    """
)
"""Searched for, but a passage need not have them: people put them into questions about anything."""

POINTING: Final = _words(
    """
    it its this that these those they them their there one ones he she him her same else es das dies
    diese dieses dieser davon dazu damit daran darin dort sie ihn ihm denen dessen
    """
)
"""Point back to what was said before."""

MORE: Final = _words("more mehr else weiter weiteres further continue")
"""Ask to go on when nothing else is asked."""

OPENING: Final = _words("and but so then also und aber dann auch")
"""Open a question that goes on from the last one."""

HELLO: Final = _words(
    """
    hi hello hey hallo hoi moin servus gruezi greetings good guten morning evening afternoon day morgen
    tag abend there welcome yo
    """
)
HELLO_CORE: Final = HELLO - _words("good guten morning evening afternoon day morgen tag abend there")
HELLO_FIRST: Final = _words("good guten")
"""With another word of greeting after it, a greeting."""

THANKS: Final = _words(
    """
    thanks thank you danke dir ihnen schon sehr very much so many vielen dank a lot great cool ok okay
    super perfect wonderful bye goodbye tschuss
    """
)
THANKS_CORE: Final = _words("thanks thank danke dank bye goodbye tschuss")

ABOUT: Final = frozenset(
    {
        "help",
        "help me",
        "hilfe",
        "can you help me",
        "how can you help me",
        "how can you help",
        "what can you do",
        "what can you do for me",
        "what can you help me with",
        "what can i do",
        "what can i ask",
        "what can i ask you",
        "what do you do",
        "what do you know",
        "what do you know about",
        "what are you",
        "what is this",
        "whats this",
        "who are you",
        "are you a robot",
        "are you an ai",
        "are you human",
        "was kannst du",
        "was kannst du tun",
        "was machst du",
        "was weisst du",
        "was weißt du",
        "wer bist du",
        "was bist du",
        "wie kannst du mir helfen",
        "kannst du mir helfen",
    }
)
"""Questions about the agent itself, as words with one space between."""

LEADS: Final = (("tell", "me", "about"), ("erzahl", "mir", "von"))
"""What the chips begin with, as words."""

GOES_ON: Final = _words(
    """
    It They This That These Those He She Then So But Also However Otherwise Therefore Thus Its Their
    Both Neither Es Sie Er Das Dies Diese Dieser Dann Aber Auch Sonst Deshalb Dabei Damit Dadurch
    """
)
"""A sentence that begins so cannot be understood without the one before."""
