"""Everything the functions share; each layer imports only what stands to its right: api, features, adapters, engine, contract, core."""
