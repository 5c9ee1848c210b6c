"""From the IR to files; decides nothing about the protocol."""
