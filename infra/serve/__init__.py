"""The service on one own server, for years: the local stack over a folder that keeps everything."""
