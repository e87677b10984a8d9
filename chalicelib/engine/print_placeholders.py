"""Placeholders of values that only printing knows, such as the number of a page."""

from typing import Final

# Placeholders in header and footer texts for values that only printing knows. Unicode
# noncharacters (U+FDD0 and following), so that no text contains one.
PRINT_PLACEHOLDERS: Final = {
    "page": "\ufdd0",
    "pages": "\ufdd1",
    "title": "\ufdd2",
    "date": "\ufdd3",
}
