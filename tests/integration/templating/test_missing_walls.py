"""Workers where the kernel refuses walls: behind the tenant wall only, and they say so."""

import textwrap
import time

import pytest

from chalicelib.engine.deadline import Deadline
from chalicelib.engine.sandbox.sandboxed_worker import SandboxedWorker
from chalicelib.engine.sandbox.walls import Walls
from chalicelib.engine.schemas.worker import SchemaWorker
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.refused_prctl import run_without_prctl

pytestmark = pytest.mark.integration

REFUSED = "no_new_privileges not_dumpable parent_death_signal system_call_filter"
WORK = {
    "template": """
        from chalicelib.engine.templating.worker import TemplateWorker
        def work(walls):
            worker = TemplateWorker(walls=walls)
            try:
                return worker.render("{{ 6 * 7 }}", {}, strict=False, deadline=time.time() + 60)
            finally:
                worker.close()
    """,
    "schema": """
        from chalicelib.engine.schemas.worker import SchemaWorker
        def work(walls):
            worker = SchemaWorker(walls=walls)
            try:
                found = worker.validate({"type": "null"}, 1, budget_s=60)
                return 42 if found else 0
            finally:
                worker.close()
    """,
    "reader": """
        from chalicelib.engine.conformance.read_received import read_received
        from chalicelib.engine.deadline import Deadline
        def work(walls):
            return 42 if read_received(b"<a/>", Deadline.after(60), walls)["errors"] else 0
    """,
}
SCRIPT = """
import time
from chalicelib.engine.sandbox.walls import Walls, WallsMissingError
seen = []
walls = Walls(may_miss={may_miss}, on_missing=seen.append)
try:
    print(work(walls))
except WallsMissingError as refusal:
    print("refused:", refusal)
print(*walls.missing)
assert sorted(seen) == list(walls.missing)
"""


def run(kind: str, *, may_miss: bool) -> list[str]:
    script = textwrap.dedent(WORK[kind]) + SCRIPT.format(may_miss=may_miss)
    return run_without_prctl(script).splitlines()


@pytest.mark.parametrize("kind", WORK)
def test_worker_without_walls_gets_no_content_where_workspaces_share_it(kind: str) -> None:
    answer, missing = run(kind, may_miss=False)

    assert answer.startswith("refused: chalicelib.engine.")
    assert "42" not in answer
    assert missing == REFUSED


@pytest.mark.parametrize("kind", WORK)
def test_worker_without_walls_works_behind_the_tenant_wall(kind: str) -> None:
    assert run(kind, may_miss=True) == ["42", REFUSED]


def test_engine_that_may_be_dumped_starts_behind_the_tenant_wall_only() -> None:
    script = """
        from chalicelib.engine.render_engine import make_undumpable
        from chalicelib.engine.sandbox.walls import Walls, WallsMissingError
        walls = Walls(may_miss=True)
        make_undumpable(walls)
        print(*walls.missing)
        try:
            make_undumpable(Walls())
        except WallsMissingError as refusal:
            print(str(refusal).partition(",")[0])
    """
    assert run_without_prctl(script).splitlines() == [
        "not_dumpable",
        "engine lacks not_dumpable",
    ]


@pytest.mark.parametrize("worker_type", [TemplateWorker, SchemaWorker])
def test_workers_have_all_walls_here(worker_type: type[SandboxedWorker]) -> None:
    walls = Walls()
    worker = worker_type(walls=walls)  # type: ignore[call-arg]
    try:
        worker.prove_walls(time.time() + Deadline.after(60).remaining_s())
    finally:
        worker.close()

    assert walls.missing == ()
