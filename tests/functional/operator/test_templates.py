"""`platen template`: same effects as the API."""

from chalicelib.core.clock import SystemClock
from tests.builders.operator import OperatorTool
from tests.builders.service import Service
from tests.builders.templates import make_template


def test_template_is_locked_unlocked_and_restored(tool: OperatorTool, service: Service) -> None:
    service.clock.moment = SystemClock().now()
    path = make_template(service)
    template_id = path.rpartition("/")[2]

    locked = tool.json("template", "lock", template_id)

    assert (locked["id"], locked["workspace"]) == (template_id, service.workspace)
    assert locked["locked"] is True
    assert service.call("DELETE", path).code == "template_locked"
    assert tool.json("template", "unlock", template_id)["locked"] is False
    assert service.call("DELETE", path).status == 200
    assert tool.refusal("template", "lock", template_id)[0] == "template_deleted"
    named = ("--workspace", service.workspace)
    assert tool.run("template", "restore", template_id, *named).exit_code == 0
    assert service.call("GET", path).json["deleted_at"] is None
    assert tool.refusal("template", "restore", template_id)[0] == "conflict"


def test_missing_template_is_refused(tool: OperatorTool, service: Service) -> None:
    other = service.create_workspace()
    template_id = make_template(service).rpartition("/")[2]

    for named in ((template_id, "--workspace", other), ("tpl_01ARZ3NDEKTSV4RRFFQ69G5FAV",), ("x",)):
        assert tool.refusal("template", "lock", *named)[0] == "template_not_found"
