"""Polish."""

from typing import Final

from duologue.adapters.signals_local.examples.shape import Examples

POLISH: Final = Examples(
    frustration="""
        Nadal nie działa, a próbowałem już wszystkiego
        Czekam już od trzech tygodni
        Aplikacja znowu się zawiesiła przy płatności
        Nikt nie odpowiada na moje maile, to już męczące
        Dlaczego za każdym razem muszę to tłumaczyć od nowa
        Mam dość ciągłego zmieniania hasła
        Ciągle przysyłacie mi ten sam bezużyteczny link
        Nie o to pytałam, znowu
        Za każdym razem wysypuje się na ostatnim kroku
        Jestem rozczarowany, naprawa nic nie dała
        Od mojego ostatniego telefonu nic się nie stało
        Dwie godziny czekania na nic
    """,
    anger="""
        To skandal, żądam zwrotu pieniędzy
        Jesteście kłamcami i złodziejami
        Co za wstyd, jestem wściekły na waszą firmę
        Jak śmiecie pobierać opłatę dwa razy
        Pozwę was do sądu
        Najgorsza obsługa jaką widziałem, idioci
        Nienawidzę tej firmy, nigdy więcej nic tu nie kupię
        Przestańcie kłamać, to oszustwo
        Absolutnie niedopuszczalne, kpicie sobie ze mnie
        Jestem wkurzona, proszę dać mi kierownika
        Zamknij się i daj mi człowieka
        To kradzież, zgłoszę to na policję
    """,
    confusion="""
        Nie rozumiem, za co jest ta opłata
        Który z tych dwóch numerów ma pan na myśli
        Przepraszam, pogubiłam się, gdzie mam kliknąć
        To nie ma dla mnie sensu
        Co oznacza oczekiwanie na aktywację
        Myślałem, że to jest w cenie, teraz nie jestem pewien
        Czym to się różni od drugiego planu, nie rozumiem
        Nie mam pojęcia, jak to ustawić
        Czy może pani wyjaśnić jeszcze raz, to niejasne
        W liście jest co innego niż na stronie
        Jak to, o co chodzi
        Nie wiem, którego formularza potrzebuję
    """,
    urgency="""
        To musi być dzisiaj, mam lot za dwie godziny
        Proszę się pospieszyć, to nagły wypadek
        Czy można to zrobić od razu, nie mogę czekać
        Musi dotrzeć przed jutrzejszym rankiem
        To pilne, proszę natychmiast oddzwonić
        Termin mija za godzinę
        Potrzebuję odpowiedzi jak najszybciej
        Skradziono mi kartę, proszę ją natychmiast zablokować
        Nie ma już czasu, impreza zaczyna się dziś wieczorem
        Potrzebujemy technika natychmiast, zalewa piwnicę
        Szybko, muszę wyjść za pięć minut
        Bardzo się spieszę, proszę o pierwszeństwo
    """,
    satisfaction="""
        Dziękuję, to rozwiązało problem
        Dobrze, teraz działa
        To było pomocne, bardzo dziękuję
        Idealnie, mam to, czego potrzebuję
        Dobrze, to odpowiada na moje pytanie
        Dzięki za szybką odpowiedź
        Okej, teraz wszystko jasne, dziękuję
        Jestem zadowolony z nowego planu
        Miło, dostawa przyszła na czas
        Wszystko znowu w porządku, dziękuję
        To było łatwe, dobra robota
        Tak, dokładnie tego szukałam
    """,
    delight="""
        Wow, to niesamowite, uwielbiam to
        Uratowaliście mój dzień, fantastyczna obsługa
        Najlepsza pomoc, jaką kiedykolwiek miałam
        Niewiarygodne, jak szybko
        Jestem zachwycony nowym telefonem
        Jesteście wspaniali, stokrotne dzięki
        To genialne, absolutnie genialne
        Nie mogę uwierzyć, jakie to dobre
        Rewelacja, przerosło moje oczekiwania
        Hura, przyszło dzień wcześniej
        Co za cudowna niespodzianka, jestem przeszczęśliwa
        Pięć gwiazdek, jesteście najlepsi
    """,
    neutral="""
        W jakich godzinach jest otwarte
        Chciałbym zmienić adres
        Mój numer zamówienia to 48213
        Czy wysyłacie do Norwegii
        Gdzie znajdę swoją fakturę
        Chcę zarezerwować pokój dla dwóch osób
        Jakie formy płatności przyjmujecie
        Nazywam się Anna Kowalska
        Proszę przysłać umowę pocztą
        Czy sklep jest otwarty w niedzielę
        Mam pytanie o moją taryfę
        Ile kosztuje większy plan
        Tak
        Nie
        Dzień dobry
        Ten drugi
    """,
)
