"""Local API Gateway: REST proxy events, limits and gateway responses."""
