"""French."""

from typing import Final

from duologue.adapters.signals_local.examples.shape import Examples

FRENCH: Final = Examples(
    frustration="""
        Ça ne marche toujours pas et j'ai tout essayé
        J'attends depuis trois semaines maintenant
        L'application a encore planté pendant le paiement
        Personne ne répond à mes mails, ça devient pénible
        Pourquoi dois-je tout réexpliquer à chaque fois
        J'en ai marre de réinitialiser mon mot de passe
        Vous m'envoyez toujours le même lien inutile
        Ce n'est pas ce que j'ai demandé, encore une fois
        Ça échoue à la dernière étape à chaque essai
        Je suis déçue, la réparation n'a rien changé
        Rien ne s'est passé depuis mon dernier appel
        Deux heures d'attente pour rien
    """,
    anger="""
        C'est scandaleux, je veux être remboursé
        Vous êtes des menteurs et des voleurs
        Quelle honte, je suis furieux contre votre société
        Comment osez-vous me débiter deux fois
        Je vais porter plainte contre vous
        Le pire service du monde, bande d'idiots
        Je déteste cette entreprise, plus jamais chez vous
        Arrêtez de me mentir, c'est une arnaque
        Absolument inacceptable, vous vous moquez de moi
        Je suis en colère, passez-moi votre responsable
        Taisez-vous et donnez-moi un humain
        C'est du vol, je vais vous dénoncer
    """,
    confusion="""
        Je ne comprends pas à quoi correspond ce montant
        Lequel des deux numéros voulez-vous dire
        Pardon, je suis perdu, où faut-il cliquer
        Ça n'a aucun sens pour moi
        Que veut dire activation en attente
        Je croyais que c'était inclus, maintenant je ne suis pas sûre
        Quelle est la différence avec l'autre forfait, je ne vois pas
        Je n'ai aucune idée de comment configurer ça
        Pouvez-vous expliquer encore, ce n'est pas clair
        La lettre dit autre chose que le site
        Comment ça, que voulez-vous dire
        Je ne sais pas quel formulaire il me faut
    """,
    urgency="""
        Il faut régler ça aujourd'hui, mon vol part dans deux heures
        Dépêchez-vous s'il vous plaît, c'est une urgence
        Pouvez-vous le faire tout de suite, je ne peux pas attendre
        Ça doit arriver avant demain matin
        C'est urgent, rappelez-moi immédiatement
        Le délai expire dans une heure
        J'ai besoin d'une réponse au plus vite
        On m'a volé ma carte, bloquez-la immédiatement
        Il ne reste plus de temps, l'événement commence ce soir
        Il nous faut un technicien tout de suite, la cave est inondée
        Vite, je dois partir dans cinq minutes
        C'est très pressé, merci de le traiter en priorité
    """,
    satisfaction="""
        Merci, c'est réglé
        Super, ça marche maintenant
        C'était utile, merci beaucoup
        Parfait, j'ai ce qu'il me faut
        Bien, cela répond à ma question
        Merci pour la réponse rapide
        D'accord, c'est clair maintenant, merci
        Je suis contente de mon nouveau forfait
        Bien, la livraison est arrivée à l'heure
        Tout est rentré dans l'ordre, merci bien
        C'était facile, bon travail
        Oui, exactement ce que je cherchais
    """,
    delight="""
        Waouh, c'est génial, j'adore
        Vous avez sauvé ma journée, service fantastique
        Le meilleur service que j'aie jamais eu
        Incroyable, c'était tellement rapide
        Je suis ravie de mon nouveau téléphone
        Vous êtes formidable, mille mercis
        C'est magnifique, vraiment magnifique
        Je n'en reviens pas que ce soit aussi bien
        Extraordinaire, mieux que tout ce que j'espérais
        Youpi, c'est arrivé un jour plus tôt
        Quelle excellente surprise, je suis aux anges
        Cinq étoiles, vous êtes au top
    """,
    neutral="""
        Quels sont vos horaires d'ouverture
        Je voudrais changer mon adresse
        Mon numéro de commande est 48213
        Livrez-vous en Norvège
        Où puis-je trouver ma facture
        Je voudrais réserver une chambre pour deux personnes
        Quels moyens de paiement acceptez-vous
        Je m'appelle Anne Petit
        Envoyez le contrat par la poste s'il vous plaît
        Le magasin est-il ouvert le dimanche
        J'ai une question sur mon forfait
        Combien coûte le grand forfait
        Oui
        Non
        Bonjour
        Le deuxième
    """,
)
