"""Another desk, which is told of handoffs by signed webhooks and answers by signed calls."""

from duologue.adapters.desk_webhook.calls import DeskCall, read_call
from duologue.adapters.desk_webhook.notices import DeskNotices
from duologue.adapters.desk_webhook.signing import HEADER, Calls, sign

__all__ = ["HEADER", "Calls", "DeskCall", "DeskNotices", "read_call", "sign"]
