"""The whole stack on one machine, driven by the infrastructure files; nothing of the product."""
