"""What is not as the published client has it: the sentence of the contract, or what is missing."""

from typing import Final

# Methods whose request is not taken.
REFUSED: Final = {
    "images.from_url": "",
}
