"""Everything the functions share.

Each layer imports only what stands to its right: api, features, adapters, engine, contract, core.
"""
