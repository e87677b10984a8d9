"""HTTP edge behind API Gateway: dispatch, authentication, paging, problems; knows no resource."""
