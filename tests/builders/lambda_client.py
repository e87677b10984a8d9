"""Lambda in this process: the functions that others invoke."""

import io
import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

from chalicelib.bootstrap.invocation_errors import InvocationError
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.tenancy import TenantGuard
from chalicelib.engine.remote.execute import ExecuteCall
from chalicelib.engine.remote.execute_schema import ExecuteSchemaCall
from chalicelib.engine.remote.execute_tool import ExecuteToolCall
from chalicelib.engine.sandbox.walls import Walls
from chalicelib.engine.schemas.check_schemas import CheckSchemas
from functions.engine.serve import EngineServices, serve
from functions.pdf_tools import handler as pdf_tools
from functions.pdf_tools.handler import PdfToolsServices
from functions.schemas import handler as schemas
from functions.schemas.handler import SchemaServices
from functions.send_email import handler as send_email
from tests.builders.aws_actions import acting_as, current_function
from tests.fakes.engine_function import MAX_PAYLOAD_BYTES
from tests.fakes.pdf_tools import in_process_tools
from tests.fakes.presigned import SignedObjects

if TYPE_CHECKING:
    from chalicelib.core.json import JsonObject
    from chalicelib.engine.ports import PresignedObjects
    from tests.builders.service import Service


class FunctionKilled(BaseException):
    """Simulated death of a function's process."""


def check_has_place(service: "Service", event: Mapping[str, Any]) -> None:
    """Assert that the workspace of an engine call holds a lease."""
    if event["call"] != "self_test":
        leases = service.operator.limits.get(WorkspaceId(event["workspace"]))["leases"]
        assert leases, f"the engine's {event['call']} takes no place of the workspace"


class LambdaClient:
    """Runs functions in this process, as `boto3.client("lambda")` would call them."""

    class exceptions:  # noqa: N801 -- as botocore names it
        class TooManyRequestsException(Exception):  # noqa: N818
            """No capacity."""

    def __init__(self, service: "Service") -> None:
        self._service = service

    def invoke(self, *, FunctionName: str, Payload: bytes, **options: Any) -> dict[str, Any]:  # noqa: N803
        if FunctionName == self._service.resources["ValidateFunction"]["Ref"]:
            self._service.aws_actions.record_invocation(FunctionName)
            self._service.validate_tenants.append(options.get("TenantId"))
            assert self._service.verdicts is not None
            verdicts = self._service.verdicts(json.loads(Payload))
            return {"Payload": io.BytesIO(json.dumps({"verdicts": verdicts}).encode())}
        assert len(Payload) < MAX_PAYLOAD_BYTES, "Lambda takes 6 MB"
        others = {
            self._service.settings.engine_function: self._run_engine,
            self._service.resources["PdfToolsFunction"]["Ref"]: self._run_pdf_tool,
            self._service.settings.schemas_function: self._check_schema,
            self._service.settings.send_email_function: self._send_email,
            self._service.settings.upload_files_function: self._upload_files,
        }
        if FunctionName in others:
            return others[FunctionName](json.loads(Payload), options.get("TenantId"))
        assert FunctionName == self._service.settings.render_function
        self._service.aws_actions.record_invocation(FunctionName)
        self._service.last_event = json.loads(Payload)
        with acting_as(""):
            failure = next(self._service.invoke_failures, None)
        try:
            if failure is not None:
                raise failure
            answer = self._service.serve(json.loads(Payload), f"call-{next(self._service.calls)}")
        except FunctionKilled:
            return {"FunctionError": "Unhandled", "Payload": io.BytesIO(b"{}")}
        except InvocationError as failed:
            return failed_invocation(failed)
        return {"Payload": io.BytesIO(json.dumps(answer).encode())}

    def _send_email(self, event: dict[str, Any], _tenant: str | None) -> dict[str, Any]:
        service = self._service
        service.aws_actions.record_invocation(service.settings.send_email_function)
        with acting_as(""):
            failure = next(service.email_failures, None)
        if failure is not None:
            raise failure
        call: Any = event
        try:
            with acting_as("SendEmailFunction"):
                answer = send_email.build(service.work_parts("send_email"))(call)
        except InvocationError as failed:
            return failed_invocation(failed)
        return {"Payload": io.BytesIO(json.dumps(answer).encode())}

    def _upload_files(self, event: dict[str, Any], _tenant: str | None) -> dict[str, Any]:
        service = self._service
        service.aws_actions.record_invocation(service.settings.upload_files_function)
        with acting_as(""):
            failure = next(service.upload_failures, None)
        if failure is not None:
            raise failure
        call: Any = event
        try:
            with acting_as("UploadFilesFunction"):
                answer = service.upload_function()(call)
        except InvocationError as failed:
            return failed_invocation(failed)
        return {"Payload": io.BytesIO(json.dumps(answer).encode())}

    def _check_schema(self, event: dict[str, Any], tenant: str | None) -> dict[str, Any]:
        service = self._service
        service.aws_actions.record_invocation(service.settings.schemas_function)
        service.schema_calls.append(EngineInvocation(event, tenant))
        with acting_as(""):
            failure = next(service.schema_failures, None)
        if isinstance(failure, FunctionKilled):
            return {"FunctionError": "Unhandled", "Payload": io.BytesIO(b"{}")}
        if failure is not None:
            raise failure
        objects = SignedObjects(service.clients.s3, service.settings.bucket, current_function())
        context: Any = SimpleNamespace(aws_request_id="schema-call", tenant_id=tenant)
        execute = ExecuteSchemaCall(schemas=service.schemas, objects=objects, clock=service.clock)
        services = SchemaServices(execute, TenantGuard(service.tenancy))
        try:
            with acting_as("SchemasFunction"):
                answer = schemas.serve(event, context, services)
        except InvocationError as failed:
            return failed_invocation(failed)
        return {"Payload": io.BytesIO(json.dumps(answer).encode())}

    def _run_pdf_tool(self, event: dict[str, Any], tenant: str | None) -> dict[str, Any]:
        service = self._service
        service.aws_actions.record_invocation(service.resources["PdfToolsFunction"]["Ref"])
        service.tool_calls.append(EngineInvocation(event, tenant))
        with acting_as(""):
            failure = next(service.tool_failures, None)
        if isinstance(failure, FunctionKilled):
            return {"FunctionError": "Unhandled", "Payload": io.BytesIO(b"{}")}
        if failure is not None:
            raise failure
        objects = SignedObjects(service.clients.s3, service.settings.bucket, current_function())
        context: Any = SimpleNamespace(aws_request_id="tool-call", tenant_id=tenant)
        engine = in_process_tools(service.tool_egress, service.tool_worker)
        execute = ExecuteToolCall(engine.run, objects, service.clock)
        services = PdfToolsServices(execute, TenantGuard(service.tenancy))
        try:
            with acting_as("PdfToolsFunction"):
                answer = pdf_tools.serve(event, context, services)
        except InvocationError as failed:
            return failed_invocation(failed)
        return {"Payload": io.BytesIO(json.dumps(answer).encode())}

    def _run_engine(self, event: dict[str, Any], tenant: str | None) -> dict[str, Any]:
        service = self._service
        service.aws_actions.record_invocation(service.settings.engine_function)
        service.engine_calls.append(EngineInvocation(event, tenant))
        caller = current_function()
        if caller == "APIHandler":
            with acting_as(""):
                check_has_place(service, event)
        failures = service.invoke_failures if caller == "APIHandler" else service.engine_failures
        with acting_as(""):
            failure = next(failures, None)
        if isinstance(failure, FunctionKilled):
            return {"FunctionError": "Unhandled", "Payload": io.BytesIO(b"{}")}
        if failure is not None:
            raise failure
        objects = SignedObjects(service.clients.s3, service.settings.bucket, caller)
        try:
            with acting_as("EngineFunction"):
                answer = serve_engine(service, objects, event, tenant)
        except FunctionKilled:
            # Otherwise it stands for the death of the render function.
            if caller != "APIHandler":
                raise
            return {"FunctionError": "Unhandled", "Payload": io.BytesIO(b"{}")}
        except InvocationError as failed:
            return failed_invocation(failed)
        return {"Payload": io.BytesIO(json.dumps(answer).encode())}


class EngineInvocation(NamedTuple):
    """One invocation of a function without rights."""

    event: Mapping[str, Any]
    tenant: str | None


def failed_invocation(failure: InvocationError) -> dict[str, Any]:
    """Return the answer of Lambda where the function raised."""
    error = {"errorType": type(failure).__name__, "errorMessage": str(failure)}
    return {"FunctionError": "Unhandled", "Payload": io.BytesIO(json.dumps(error).encode())}


def serve_engine(
    service: "Service", objects: "PresignedObjects", event: Any, tenant: str | None
) -> "JsonObject":
    """Run the engine function's handler over the engine of a service."""
    checks = CheckSchemas(schemas=service.schemas)
    execute = ExecuteCall(service.engine, objects, lambda: checks, service.clock, Walls())
    context: Any = SimpleNamespace(aws_request_id="engine-call", tenant_id=tenant)
    return serve(event, context, EngineServices(execute, TenantGuard(service.tenancy)))
