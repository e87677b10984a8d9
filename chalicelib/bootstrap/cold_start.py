"""Cold start of every function: its warm-up, the arming of its crash points, and its threads."""

import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol

from chalicelib.adapters.json_logs import current_ids
from chalicelib.core import crash_points
from chalicelib.settings import is_on_lambda

if TYPE_CHECKING:
    from types import ModuleType

# Adapters import these with their first use, in every function with rights on AWS.
_MODULES_OF_ADAPTERS: Final = (
    "boto3.dynamodb.types",
    "boto3.s3.transfer",
    "botocore.auth",
    "botocore.awsrequest",
    "botocore.credentials",
    "botocore.exceptions",
    "cryptography.exceptions",
    "cryptography.hazmat.primitives.ciphers.aead",
)
# Types that msgspec reads and that are no structs, by their modules.
_OTHER_TYPES: Final = {
    "chalicelib.contract.options.pdf_tools": ("AnyToolOptions",),
    "chalicelib.engine.conformance.checks": ("VerdictJson",),
    "chalicelib.engine.formats.finish_messages": ("WorkerMessage",),
    "chalicelib.engine.job": ("EngineJob", "Job"),
    "chalicelib.engine.remote.calls": ("AnyCall",),
    "chalicelib.engine.remote.results": ("AnyResult",),
    "chalicelib.engine.sources": ("Source",),
    "chalicelib.features.batches.model": ("Batch", "BatchItem"),
    "chalicelib.features.destinations.uploads.model": ("TargetUploads", "UploadError"),
    "chalicelib.features.emails.sends.model": ("EmailSend",),
    "chalicelib.features.files.model": ("StoredFile",),
    "chalicelib.features.webhooks.request_webhook": ("RequestWebhook",),
}


class _Model(Protocol):
    """Model of pydantic, which most functions never load."""

    @classmethod
    def model_rebuild(cls) -> bool | None: ...


def warm_up_on_lambda(warm_up: Callable[[], None]) -> None:
    """Run `warm_up` now if this process is on Lambda; called last in a handler's module.

    A missing variable, layer or permission then fails the start, not the first request.
    Elsewhere nothing is run at import: tests build their own services, and the local runner calls
    `warm` itself.
    """
    if is_on_lambda():
        warm_up()


def prepare_for_threads(modules: Iterable[str] = ()) -> None:
    """Load modules and build objects of a first use now, before threads share them.

    `modules` are those that a function imports late, `LATE_MODULES` of its handler's module. The
    local runner calls this after `warm`, for processes that serve several invocations at once. An
    environment of Lambda serves one invocation at a time and starts sooner without it (decision 7).
    """
    for name in (*_MODULES_OF_ADAPTERS, *modules):
        import_module(name)
    build_type_descriptions()
    _build_models()


def build_type_descriptions() -> None:
    """Build the descriptions that msgspec keeps of the types that it reads in loaded modules.

    msgspec describes a type on its first use, and a thread that meets an unfinished description
    ends the process. Structs without equality declare the parts of a use case: nothing reads them.
    """
    import msgspec  # noqa: PLC0415 -- not for a cold start

    for module in _loaded_modules():
        for value in vars(module).values():
            is_struct = isinstance(value, type) and issubclass(value, msgspec.Struct)
            if is_struct and value.__struct_config__.eq:
                msgspec.json.Decoder(value)
        for name in _OTHER_TYPES.get(module.__name__, ()):
            msgspec.json.Decoder(vars(module)[name])


def _build_models() -> None:
    """Build all loaded models of the contract, which pydantic defers to their first use."""
    for module, name in (("chalicelib.contract.base", "Model"), ("pydantic", "RootModel")):
        if module in sys.modules:
            for model in _subclasses(getattr(sys.modules[module], name)):
                model.model_rebuild()


def _loaded_modules() -> "Iterator[ModuleType]":
    for name, module in list(sys.modules.items()):
        if name.startswith(("chalicelib.", "functions.")):
            yield module


def _subclasses(model: type[_Model]) -> Iterator[type[_Model]]:
    for subclass in model.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


def arm_crash_points(folder: str) -> None:
    """Arm the crash points of this process if a folder is set, which only tests do."""
    crash_points.arm(folder, lambda: current_ids().get("request_id"))
