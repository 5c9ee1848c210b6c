"""The ways frames travel: `stdio`, `streams`, `memory`. Each is a channel to a peer and knows no message."""
