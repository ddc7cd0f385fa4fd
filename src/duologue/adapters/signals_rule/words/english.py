"""English."""

from typing import Final

from duologue.adapters.signals_rule.words.shape import Words

ENGLISH: Final = Words(
    frustration=(
        "!frustrat*, annoy*, !fed up, !sick of, tired of, !had enough, enough of this, irritat*, disappoint*,"
        " !does not work, !doesn't work, !do not work, !don't work, !did not work, !didn't work, !not working,"
        " isn't working, won't work, stopped working, still not, still no, still doesn't, still don't, still"
        " won't, still can't, still isn't, still hasn't, still haven't, still waiting, waiting for ages,"
        " waited for ages, waiting for hours, waiting for weeks, !yet again, once again, ~again, the third"
        " time, the second time, every single time, over and over, again and again, for hours, for ages, for"
        " weeks, keeps failing, keeps crashing, keeps telling me, keep telling, keep asking, already told,"
        " already said, already tried, tried everything, nothing works, nothing helps, nothing happens, no one"
        " helps, nobody helps, nobody answers, no answer, useless, pointless, hopeless, waste of time, wasting"
        " my time, ~broken, ~failed, ~failing, ~slow, ~unreliable, ~bad, poor, terrible experience, going in"
        " circles, going round in circles, give up, giving up, ugh, argh, ~sigh, not what i asked, that's not"
        " what i, you are not listening, you're not listening, !driving me crazy, !driving me mad, why is this"
        " so hard, so difficult, too complicated, let down, ~problem, ~issue, impossible to, ~unhappy,"
        " dissatisfied, ~unfortunately"
    ),
    anger=(
        "!angry, !furious, !outrag*, !livid, enraged, infuriat*, rage, !pissed, mad at, !hate, !disgust*,"
        " !disgrace*, unacceptable, ridiculous, scandal*, !ripped off, rip off, ripoff, scam, scammers, fraud,"
        " !thieves, liars, liar, lying to me, !idiot*, moron*, stupid, dumb, incompetent, pathetic, shameful,"
        " shame on you, how dare you, !go to hell, !screw you, !shut up, damn, bloody, !bullshit, crap,"
        " !fuck*, wtf, !shit, hell is wrong, lawyer, sue you, legal action, report you, never again, worst,"
        " horrible, awful, appalling, !insult*, fed up with your lies, demand to speak, demand my money"
    ),
    confusion=(
        "!confus*, !don't understand, !do not understand, didn't understand, can't understand, !don't get it,"
        " do not get it, i don't get, don't know how, don't know what, don't know where, no idea, not sure,"
        " unsure, !unclear, not clear, makes no sense, doesn't make sense, does not make sense, !i'm lost, i"
        " am lost, what do you mean, what does that mean, what does this mean, what is that supposed, puzzl*,"
        " baffl*, huh, how am i supposed, i thought, ~wait what, ~complicated, ~misunderst*, explain that"
        " again, can you explain, could you explain, come again, can't figure out, cannot figure out, lost"
        " track, bewilder*, contradict*"
    ),
    urgency=(
        "!urgent, !urgently, !asap, !emergency, !immediately, right now, right away, !as soon as possible, at"
        " once, hurry, ~quickly, ~quick, ~today, ~tonight, ~tomorrow, deadline, within the hour, in an hour,"
        " running out of time, no time, can't wait any longer, cannot wait, time critical, time sensitive,"
        " ~now, critical, before it's too late, !life or death, instantly, straight away, within minutes, my"
        " flight, leaves in"
    ),
    satisfaction=(
        "thanks, thank you, thank, thx, good, great, nice, helpful, helps, helped, solved, works now, it"
        " works, working now, fixed, perfect, fine, happy, pleased, satisf*, glad, ok thanks, cheers,"
        " appreciat*, well done, clear now, makes sense now, got it, understood, easy, smooth, reliable,"
        " useful, exactly what i, just what i needed, no problem, no problems, ~okay, ~cool, friendly, ~sure,"
        " sorted, much better, ~better, like it, i like, quick answer, recommend"
    ),
    delight=(
        "!love, !loved, !amazing, !awesome, !fantastic, !brilliant, !excellent, !wonderful, !incredible,"
        " !delight*, !thrilled, overjoyed, !best ever, best service, best support, !wow, yay, woohoo, hooray,"
        " superb, outstanding, blown away, !made my day, life saver, lifesaver, you rock, !so happy, !can't"
        " thank you enough, magical, beautiful, ecstatic, exceeded my expectations, marvellous, marvelous,"
        " ~super, phenomenal"
    ),
    negations=(
        "not, no, never, don't, doesn't, didn't, isn't, aren't, wasn't, weren't, won't, can't, cannot,"
        " couldn't, wouldn't, shouldn't, haven't, hasn't, hadn't, without, nothing, hardly, barely, neither,"
        " nor, far from, dont, doesnt, didnt, isnt, wasnt, cant, wont"
    ),
    intensifiers=(
        "very, really, so, extremely, totally, absolutely, completely, utterly, incredibly, too, such, truly,"
        " deeply, super, damn, bloody, fucking, beyond, seriously, insanely, especially, most, much, highly,"
        " quite a"
    ),
    diminishers=(
        "a bit, a little, slightly, somewhat, kind of, kinda, sort of, sorta, rather, fairly, maybe, a tad,"
        " not very, not really, mildly, perhaps"
    ),
    turns="but, however, although, though, except, yet",
)
