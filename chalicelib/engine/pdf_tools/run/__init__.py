"""Running of a PDF tool: what it reads is loaded, and a confined process makes its files."""
