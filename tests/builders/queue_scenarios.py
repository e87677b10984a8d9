"""Messages that the functions behind all queues cannot read, and dead letters of each."""

import json
from typing import Any, Final

from tests.builders.service import Service

QUEUES: Final = (
    "Renders",
    "Events",
    "Maintenance",
    "Webhooks",
    "Batches",
    "Combine",
    "Emails",
    "Uploads",
)


def unknown_messages(service: Service) -> None:
    work = (
        service.run_queued,
        service.relay_events,
        service.run_maintenance,
        service.deliver_webhooks,
        service.release_batches,
        service.combine_batches,
        service.send_emails,
        service.upload_files,
    )
    for queue, work_off in zip(QUEUES, work, strict=True):
        service.send(queue, "}{")
        assert work_off() == []
        service.send(queue, '{"v": 2}')
        assert len(work_off()) == 1
    service.send("WebhooksSlow", '{"v": 2}')
    service.send("BatchItems", '{"v": 2}')
    assert len(service.deliver_webhooks()) == len(service.run_queued("BatchItems")) == 1


def dead_letters_of_every_queue(service: Service) -> None:
    render_id = service.render(mode="async").json["id"]
    subject = f"WS#{service.workspace}#RND#{render_id}"
    ids = {"workspace_id": service.workspace, "render_id": render_id, "request_id": "r"}
    bodies: tuple[dict[str, Any], ...] = (
        ids,
        {"subject": subject, "sort_key": "EVENT#evt_1"},
        {"kind": "render", "pk": subject, "sk": "META"},
        {"workspace_id": service.workspace, "delivery_id": "whd_" + "0" * 26},
        {"kind": "release", "pk": f"WS#{service.workspace}#BAT", "sk": "META"},
        {"kind": "combine", "pk": f"WS#{service.workspace}#BAT#{'bat_' + '0' * 26}", "sk": "META"},
        {"workspace_id": service.workspace, "send_id": "ems_" + "0" * 26},
        {**ids, "number": "0"},
    )
    for queue, body in zip(QUEUES, bodies, strict=True):
        url = service.resources[f"{queue}DeadLetters"]["Ref"]
        service.clients.sqs.send_message(QueueUrl=url, MessageBody=json.dumps({"v": 1} | body))
        assert service.record_dead_letters(queue) == []
    assert service.call("GET", f"/v1/renders/{render_id}").json["error"]["code"] == "render_lost"
    service.process_due()
