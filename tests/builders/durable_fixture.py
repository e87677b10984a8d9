"""Data folder of this release, for the tests of later ones.

`python -m tests.builders.durable_fixture` makes it: once for each format of the data folder, and
never again, since later code reads what this code has written. The archive has the folder, and
`expected.json` with what must be found in it.
"""

import hashlib
import json
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any, Final

import httpx

from infra.serve.data_folder import FORMAT
from infra.serve.running_server import running_server
from tests.builders.stack.api_client import ApiClient
from tests.builders.waiting import eventually

ARCHIVES: Final = Path(__file__).parent.parent / "integration" / "serve" / "formats"
EXPECTED: Final = "expected.json"
_LEFT_OUT: Final = (".log", "lock", "run.json", "endpoints.json", ".turn", ".holder")
_HTML: Final = "<!doctype html><html lang='en'><title>T</title><p>{{ n }} of {{ total }}"


def _post(client: ApiClient, path: str, **body: Any) -> dict[str, Any]:
    return _send(client, "POST", path, body)


def _send(client: ApiClient, method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = client.http.request(method, path, json=body)
    assert answer.is_success, answer.text
    made: dict[str, Any] = answer.json()
    return made


def _sha256(url: str) -> str:
    answer = httpx.get(url, follow_redirects=True).raise_for_status()
    return hashlib.sha256(answer.content).hexdigest()


def make_content(client: ApiClient) -> dict[str, Any]:
    """Make one of everything that a workspace keeps; return what must be found again."""
    data = {"n": 1, "total": 2}
    dataset = {"name": "Usual", "data": data}
    template = _post(client, "/templates", name="Invoice", html=_HTML, datasets=[dataset])["id"]
    path = f"/templates/{template}"
    _post(client, f"{path}/publish", note="First")
    draft = {"html": _HTML + " again", "options": {"pdf": {"landscape": True}}}
    _send(client, "PUT", f"{path}/draft", draft)
    _post(client, f"{path}/publish")
    _send(client, "PUT", f"{path}/draft", {"html": "<p>draft"})
    large = _post(client, "/templates", name="Large", html=f"<p>x<!-- {'y' * 110_000} -->")["id"]
    connection = _post(
        client,
        "/email-connections",
        name="Mail",
        provider="smtp",
        config={"host": "smtp.example.com", "port": 587, "username": "mailer"},
        credentials={"password": "p"},
        default_from={"email": "billing@example.com"},
    )["id"]
    rule = {"connection_id": connection, "to": "a@example.com", "subject": "S", "html": "<p>"}
    rule_id = _post(client, f"{path}/email-rules", name="Off", enabled=False, **rule)["id"]
    destination = _post(
        client,
        "/storage-destinations",
        name="Archive",
        provider="s3",
        config={"region": "eu-central-1", "bucket": "my-files"},
        credentials={"access_key_id": "A", "secret_access_key": "s"},
    )["id"]
    source = {"type": "template", "template_id": template}
    render = _post(client, "/renders", input=source, data=data)["id"]
    final = client.wait_until_final(render)
    files = {
        each["id"]: hashlib.sha256(
            httpx.get(each["url"], follow_redirects=True).content
        ).hexdigest()
        for each in final["files"]
    }
    batch = _post(client, "/batches", template_id=template, items=[{"data": data}] * 2)["id"]
    eventually(
        lambda: client.http.get(f"/batches/{batch}").json()["status"] == "completed",
        pause_s=0.2,
    )
    endpoint = _post(
        client, "/webhook-endpoints", url="https://example.com/hook", events=["render.succeeded"]
    )
    shown = [
        *(path, f"{path}/versions/1", f"{path}/versions/2", f"{path}/draft", f"{path}/datasets"),
        *(f"{path}/email-rules", f"/email-rules/{rule_id}", f"/templates/{large}/draft"),
        *(f"/email-connections/{connection}", f"/storage-destinations/{destination}"),
        f"/webhook-endpoints/{endpoint['id']}",
    ]
    return {
        "template": template,
        "data": data,
        "render": render,
        "batch": batch,
        "files": files,
        "endpoint": endpoint["id"],
        "secret": endpoint["secret"],
        "answers": {each: client.http.get(each).raise_for_status().json() for each in shown},
    }


def main() -> None:
    """Write the archive of the present format, which must not be there."""
    target = ARCHIVES / f"{FORMAT}.tar.xz"
    if target.exists():
        sys.exit(f"{target} is there: a format is written once")
    ARCHIVES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        data = Path(scratch) / "data"
        with running_server(data) as server:
            server.start()
            tenant = server.create_tenant("Acme")
            with ApiClient(tenant, tenant.live_key) as client:
                expected = make_content(client)
            keys = {"workspace": tenant.workspace, "test": tenant.test_key, "live": tenant.live_key}
            server.stop()
        (data / EXPECTED).write_text(json.dumps(expected | keys, indent=1))
        with tarfile.open(target, "w:xz") as archive:
            archive.add(data, "data", filter=_kept)
    sys.stdout.write(f"{target}: {target.stat().st_size} bytes\n")


def _kept(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    if member.name.endswith(_LEFT_OUT):
        return None
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


if __name__ == "__main__":
    main()
