"""Domain events: written in the transaction of a change, delivered once to each subscriber."""
