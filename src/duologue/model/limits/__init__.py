"""Every bound of the system, with its unit and its reason, in a module for each topic.

A number that a setting can change is the default; a number that no setting changes is final. All are read as
`limits.NAME`, whatever the topic.
"""

from duologue.model.limits.answers import *
from duologue.model.limits.checks import *
from duologue.model.limits.handoffs import *
from duologue.model.limits.memory import *
from duologue.model.limits.messages import *
from duologue.model.limits.models import *
from duologue.model.limits.rates import *
from duologue.model.limits.server import *
from duologue.model.limits.sessions import *
from duologue.model.limits.signals import *
from duologue.model.limits.speech import *
from duologue.model.limits.tags import *
from duologue.model.limits.tools import *
from duologue.model.limits.uploads import *
from duologue.model.limits.webhooks import *
