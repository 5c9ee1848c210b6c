"""Servers: registries of tools, resources and prompts, and what answers every revision from them.

`Server` is the way in. Content, messages and declarations are of the newest revision's types.
"""

from __future__ import annotations

from .content import assistant as assistant
from .content import audio as audio
from .content import embedded as embedded
from .content import image as image
from .content import link as link
from .content import text as text
from .content import user as user
from .context import Accepted as Accepted
from .context import Context as Context
from .context import Declined as Declined
from .context import Dismissed as Dismissed
from .errors import ClientCannot as ClientCannot
from .errors import ClientRefused as ClientRefused
from .errors import ResourceNotFound as ResourceNotFound
from .errors import ToolError as ToolError
from .forms import Form as Form
from .prompts import Prompt as Prompt
from .server import Server as Server

__all__ = [
    "Accepted",
    "ClientCannot",
    "ClientRefused",
    "Context",
    "Declined",
    "Dismissed",
    "Form",
    "Prompt",
    "ResourceNotFound",
    "Server",
    "ToolError",
    "assistant",
    "audio",
    "embedded",
    "image",
    "link",
    "text",
    "user",
]
