"""API Gateway in front of the API function: REST proxy events, limits, gateway responses."""
