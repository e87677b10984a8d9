"""Previews: dry runs, lint and preflight; nothing is stored or billed."""
