"""The API as a Chalice app: its own test client, routes and views."""

from chalice.test import Client

from chalicelib.api.routes import ENDPOINTS
from tests.builders.service import Service


def test_chalice_client_reaches_routes_with_and_without_parameters(service: Service) -> None:
    headers = {"Authorization": f"Bearer {service.live}"}
    render_id = service.render().json["id"]

    with Client(service.app) as client:
        listed = client.http.get("/v1/renders?limit=1", headers=headers)
        read = client.http.get(f"/v1/renders/{render_id}", headers=headers)
        absent = client.http.get("/v1/renders/rnd_none", headers=headers)

    assert [row["id"] for row in listed.json_body["data"]] == [render_id]
    assert read.json_body["status"] == "succeeded"
    assert (absent.status_code, absent.json_body["code"]) == (404, "render_not_found")


def test_chalice_routes_each_endpoint_to_the_view_of_its_name(service: Service) -> None:
    routes = service.app.routes

    for row in ENDPOINTS:
        route = routes[row.path][row.method]
        assert route.view_function.__name__ == row.view.__name__
        assert route.view_function.__module__ == row.view.__module__
        assert route.content_types == []
