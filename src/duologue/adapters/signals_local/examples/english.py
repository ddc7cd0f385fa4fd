"""English."""

from typing import Final

from duologue.adapters.signals_local.examples.shape import Examples

ENGLISH: Final = Examples(
    frustration="""
        This still does not work and I have tried everything
        I have been waiting for three weeks now
        Once again the app crashed while I was paying
        Nobody answers my emails, this is getting really annoying
        Why do I have to explain this every single time
        I am so tired of resetting my password
        You keep sending me the same useless link
        That is not what I asked, again
        It fails at the last step every time I try
        I'm disappointed, the repair did not help at all
        Nothing has happened since my last call
        I spent two hours on hold for nothing
    """,
    anger="""
        This is outrageous, I want my money back
        You people are liars and thieves
        What a disgrace, I am furious with your company
        How dare you charge me twice
        I will sue you for this
        Your support is the worst I have ever seen, idiots
        I hate this company and I will never buy here again
        Stop lying to me, this is a scam
        Absolutely unacceptable, are you kidding me
        I'm livid, get me your manager
        Shut up and give me a human
        This is theft and I will report you
    """,
    confusion="""
        I don't understand what this charge is for
        Which of the two numbers do you mean
        Sorry, I am lost, where do I have to click
        That makes no sense to me
        What does pending activation mean
        I thought it was included, now I'm not sure
        How is this different from the other plan, I don't get it
        I have no idea how to set this up
        Could you explain that again, it is not clear
        The letter says one thing and the website another
        Wait, what do you mean by that
        I can't figure out which form I need
    """,
    urgency="""
        I need this fixed today, my flight leaves in two hours
        Please hurry, it is an emergency
        Can you do it right now, I can't wait
        It has to arrive before tomorrow morning
        This is urgent, call me back immediately
        The deadline is in one hour
        I need an answer as soon as possible
        My card was stolen, block it at once
        There is no time left, the event starts tonight
        We need a technician straight away, the basement is flooding
        Quick, I have to leave in five minutes
        It is time critical, please prioritise it
    """,
    satisfaction="""
        Thanks, that solved it
        Great, it works now
        That was helpful, thank you
        Perfect, I have what I need
        Good, that answers my question
        Thank you for the quick reply
        Okay, that is clear now, thanks
        I'm happy with the new plan
        Nice, the delivery came on time
        Everything is fine again, thank you very much
        That was easy, well done
        Yes, exactly what I was looking for
    """,
    delight="""
        Wow, this is amazing, I love it
        You made my day, fantastic service
        Best support I have ever had
        Incredible, that was so fast
        I am thrilled with my new phone
        You are wonderful, thank you so so much
        This is brilliant, absolutely brilliant
        I can't believe how good this is
        Awesome, exceeded all my expectations
        Woohoo, it arrived a day early
        What an excellent surprise, I'm delighted
        Five stars, you are a life saver
    """,
    neutral="""
        What are your opening hours
        I would like to change my address
        My order number is 48213
        Do you ship to Norway
        Where can I find my invoice
        I want to book a room for two people
        Which payment methods do you accept
        My name is Anna Smith
        Please send the contract by post
        Is the store open on Sunday
        I have a question about my tariff
        How much does the larger plan cost
        Yes
        No
        Hello
        The second one
    """,
)
