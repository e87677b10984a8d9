"""Running of a PDF tool: its sources are loaded, and a confined process makes its files."""
