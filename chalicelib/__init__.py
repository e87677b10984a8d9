"""Everything the functions share.

Each layer imports only what stands to its right: api, bootstrap, settings,
features, adapters, engine, contract, core.
"""
