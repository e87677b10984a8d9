"""Examples of the API's reference: requests written by hand, and what the service answers."""
