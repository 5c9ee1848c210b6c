"""What handlers raise to be understood, and what a server raises to its handlers."""

from __future__ import annotations

from ..errors import LocalProtocolError, RpcError, TypedMcpError


class ToolError(TypedMcpError):
    """What a tool raises to tell the model that it failed, and why: a result with `isError`, no protocol error.

    Any other exception is masked: the model gets to know that the tool failed, the log has the traceback.
    """


class ResourceNotFound(TypedMcpError):
    """What a resource's reader raises where there is nothing under a URI; the client gets its revision's error code."""


class ClientRefused(ToolError):
    """A question that the client answered by an error, in `refusal`. A tool that does not catch it fails with it."""

    def __init__(self, method: str, refusal: RpcError) -> None:
        super().__init__(f"the client refused {method}: {refusal.message}")
        self.refusal = refusal


class ClientCannot(LocalProtocolError):
    """A question to a client that did not declare that it answers such; nothing was sent.

    `capability` is the path it lacks, as `elicitation.url`.
    """

    def __init__(self, capability: str) -> None:
        super().__init__(f"the client did not declare the capability {capability}")
        self.capability = capability
