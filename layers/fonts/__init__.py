"""Layer of the fonts and their fontconfig file."""
