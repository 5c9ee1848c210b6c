"""Servers: registries of tools, resources and prompts, and what answers every revision from them."""
