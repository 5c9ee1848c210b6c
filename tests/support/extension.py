"""A private extension of a revision as one document: a request and a notification more than 2025-11-25 has."""

from __future__ import annotations

import copy
import json
from typing import Any

from support.paths import REPOSITORY

STRING = {"type": "string"}
ACME = {
    "AcmeRunRequest": {
        "type": "object",
        "properties": {
            "id": {"$ref": "#/$defs/RequestId"},
            "jsonrpc": {"const": "2.0"},
            "method": {"const": "acme/run"},
            "params": {"$ref": "#/$defs/AcmeRunRequestParams"},
        },
        "required": ["id", "jsonrpc", "method", "params"],
    },
    "AcmeRunRequestParams": {
        "type": "object",
        "properties": {"job": STRING, "retryCount": {"type": "integer", "minimum": 0}},
        "required": ["job"],
    },
    "AcmeRunResult": {"type": "object", "properties": {"exitCode": {"type": "integer"}}, "required": ["exitCode"]},
    "AcmeRanNotification": {
        "type": "object",
        "properties": {
            "jsonrpc": {"const": "2.0"},
            "method": {"const": "notifications/acme/ran"},
            "params": {"type": "object", "properties": {"job": STRING}, "required": ["job"]},
        },
        "required": ["jsonrpc", "method", "params"],
    },
}
ACME_UNIONS = {
    "ClientRequest": "AcmeRunRequest",
    "ServerNotification": "AcmeRanNotification",
    "ServerResult": "AcmeRunResult",
}


def acme() -> dict[str, Any]:
    """A private extension of 2025-11-25: one request and one notification more."""
    document = json.loads((REPOSITORY / "schema" / "2025-11-25.json").read_text("utf-8"))
    document["$defs"].update(copy.deepcopy(ACME))
    for union, arm in ACME_UNIONS.items():
        document["$defs"][union]["anyOf"].append({"$ref": f"#/$defs/{arm}"})
    return document
