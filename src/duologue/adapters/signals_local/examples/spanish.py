"""Spanish."""

from typing import Final

from duologue.adapters.signals_local.examples.shape import Examples

SPANISH: Final = Examples(
    frustration="""
        Sigue sin funcionar y ya he probado todo
        Llevo tres semanas esperando
        Otra vez se cerró la aplicación mientras pagaba
        Nadie responde a mis correos, ya es muy molesto
        Por qué tengo que explicarlo cada vez
        Estoy harto de cambiar la contraseña
        Siempre me mandan el mismo enlace inútil
        No es lo que pregunté, otra vez
        Falla en el último paso cada vez que lo intento
        Estoy decepcionada, la reparación no sirvió de nada
        No ha pasado nada desde mi última llamada
        Dos horas de espera para nada
    """,
    anger="""
        Esto es un escándalo, quiero que me devuelvan el dinero
        Son unos mentirosos y unos ladrones
        Qué vergüenza, estoy furioso con su empresa
        Cómo se atreven a cobrarme dos veces
        Los voy a denunciar
        El peor servicio que he visto, idiotas
        Odio esta empresa, nunca más compro aquí
        Dejen de mentirme, es una estafa
        Totalmente inaceptable, se burlan de mí
        Estoy muy enfadado, páseme con su jefe
        Cállese y páseme con una persona
        Esto es un robo, lo voy a llevar a juicio
    """,
    confusion="""
        No entiendo a qué corresponde este cargo
        Cuál de los dos números quiere decir
        Perdón, estoy perdida, dónde tengo que pulsar
        No tiene sentido para mí
        Qué significa activación pendiente
        Creía que estaba incluido, ahora no estoy seguro
        En qué se diferencia del otro plan, no lo veo
        No tengo ni idea de cómo configurarlo
        Puede explicarlo otra vez, no está claro
        La carta dice una cosa y la web otra
        Cómo así, qué quiere decir
        No sé qué formulario necesito
    """,
    urgency="""
        Tiene que ser hoy, mi vuelo sale en dos horas
        Dense prisa por favor, es una emergencia
        Puede hacerlo ahora mismo, no puedo esperar
        Tiene que llegar antes de mañana por la mañana
        Es urgente, llámeme de inmediato
        El plazo termina en una hora
        Necesito una respuesta cuanto antes
        Me robaron la tarjeta, bloquéenla enseguida
        No queda tiempo, el evento empieza esta noche
        Necesitamos un técnico ya mismo, se inunda el sótano
        Rápido, tengo que irme en cinco minutos
        Corre mucha prisa, denle prioridad por favor
    """,
    satisfaction="""
        Gracias, eso lo resolvió
        Bien, ya funciona
        Fue de ayuda, muchas gracias
        Perfecto, tengo lo que necesito
        Bueno, eso responde a mi pregunta
        Gracias por la respuesta rápida
        Vale, ahora queda claro, gracias
        Estoy contenta con el nuevo plan
        Qué bien, la entrega llegó a tiempo
        Todo en orden otra vez, gracias
        Fue fácil, buen trabajo
        Sí, justo lo que buscaba
    """,
    delight="""
        Guau, es increíble, me encanta
        Me han alegrado el día, un servicio fantástico
        El mejor soporte que he tenido nunca
        Impresionante, qué rápido
        Estoy encantado con mi teléfono nuevo
        Son maravillosos, mil gracias
        Es genial, absolutamente genial
        No me puedo creer lo bueno que es
        Estupendo, mejor de lo que esperaba
        Yupi, llegó un día antes
        Qué sorpresa tan excelente, estoy felicísima
        Cinco estrellas, son los mejores
    """,
    neutral="""
        Cuál es su horario
        Quisiera cambiar mi dirección
        Mi número de pedido es 48213
        Hacen envíos a Noruega
        Dónde encuentro mi factura
        Quiero reservar una habitación para dos personas
        Qué formas de pago aceptan
        Me llamo Ana Pérez
        Envíen el contrato por correo por favor
        Abre la tienda el domingo
        Tengo una pregunta sobre mi tarifa
        Cuánto cuesta el plan grande
        Sí
        No
        Hola
        El segundo
    """,
)
