"""Portuguese."""

from typing import Final

from duologue.adapters.signals_local.examples.shape import Examples

PORTUGUESE: Final = Examples(
    frustration="""
        Ainda não funciona e já tentei de tudo
        Estou esperando há três semanas
        O aplicativo travou de novo na hora de pagar
        Ninguém responde aos meus e-mails, já está irritante
        Por que tenho que explicar toda vez
        Estou farta de redefinir a senha
        Vocês mandam sempre o mesmo link inútil
        Não foi isso que perguntei, outra vez
        Falha no último passo sempre que tento
        Estou decepcionado, o conserto não adiantou nada
        Nada aconteceu desde a minha última ligação
        Duas horas na espera para nada
    """,
    anger="""
        Isto é um absurdo, quero meu dinheiro de volta
        Vocês são mentirosos e ladrões
        Que vergonha, estou furioso com a empresa de vocês
        Como se atrevem a cobrar duas vezes
        Vou processar vocês
        O pior atendimento que já vi, idiotas
        Odeio esta empresa, nunca mais compro aqui
        Parem de mentir, isto é um golpe
        Totalmente inaceitável, estão de brincadeira comigo
        Estou com muita raiva, chame o seu chefe
        Cale a boca e me passe para uma pessoa
        Isto é roubo, vou denunciar
    """,
    confusion="""
        Não entendo de que é esta cobrança
        Qual dos dois números quer dizer
        Desculpe, estou perdido, onde devo clicar
        Não faz sentido para mim
        O que significa ativação pendente
        Achei que estava incluído, agora não tenho certeza
        Qual é a diferença do outro plano, não percebo
        Não faço ideia de como configurar isto
        Pode explicar de novo, não ficou claro
        A carta diz uma coisa e o site outra
        Como assim, o que quer dizer
        Não sei qual formulário preciso
    """,
    urgency="""
        Tem de ser hoje, meu voo sai em duas horas
        Depressa por favor, é uma emergência
        Pode fazer agora mesmo, não posso esperar
        Tem que chegar antes de amanhã de manhã
        É urgente, ligue para mim imediatamente
        O prazo acaba em uma hora
        Preciso de uma resposta o quanto antes
        Roubaram meu cartão, bloqueiem já
        Não há mais tempo, o evento começa esta noite
        Precisamos de um técnico imediatamente, a cave está a inundar
        Rápido, tenho que sair em cinco minutos
        Tenho muita pressa, deem prioridade por favor
    """,
    satisfaction="""
        Obrigado, isso resolveu
        Bom, agora funciona
        Foi útil, muito obrigada
        Perfeito, tenho o que preciso
        Bem, isso responde à minha pergunta
        Obrigado pela resposta rápida
        Certo, agora ficou claro, obrigada
        Estou satisfeito com o novo plano
        Que bom, a entrega chegou a tempo
        Tudo certo de novo, muito obrigado
        Foi fácil, bom trabalho
        Sim, exatamente o que eu procurava
    """,
    delight="""
        Uau, é incrível, adorei
        Vocês salvaram meu dia, serviço fantástico
        O melhor atendimento que já tive
        Sensacional, que rapidez
        Estou encantada com meu telefone novo
        Vocês são maravilhosos, mil vezes obrigado
        É genial, absolutamente genial
        Nem acredito como é bom
        Ótimo, superou todas as expectativas
        Oba, chegou um dia antes
        Que surpresa excelente, estou felicíssimo
        Cinco estrelas, show de bola
    """,
    neutral="""
        Qual é o horário de funcionamento
        Queria mudar o meu endereço
        O número do meu pedido é 48213
        Vocês entregam na Noruega
        Onde encontro a minha fatura
        Quero reservar um quarto para duas pessoas
        Quais formas de pagamento aceitam
        Meu nome é Ana Souza
        Mandem o contrato pelo correio por favor
        A loja abre no domingo
        Tenho uma pergunta sobre a minha tarifa
        Quanto custa o plano maior
        Sim
        Não
        Olá
        O segundo
    """,
)
