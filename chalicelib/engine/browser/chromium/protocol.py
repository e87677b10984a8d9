"""Types of the DevTools protocol (CDP), by its own names: the members that are read here."""

from typing import NotRequired, TypedDict

from chalicelib.core.json import Json


class NetworkRequest(TypedDict):
    """Network.Request."""

    url: str
    headers: dict[str, str]


class ResourceTiming(TypedDict):
    """Network.ResourceTiming; times are in seconds of the browser's clock."""

    requestTime: float


class NetworkResponse(TypedDict):
    """Network.Response."""

    url: str
    headers: dict[str, str]
    timing: NotRequired[ResourceTiming]


class HeaderEntry(TypedDict):
    """Fetch.HeaderEntry."""

    name: str
    value: str


class LogEntry(TypedDict):
    """Log.LogEntry."""

    source: str
    text: str
    url: NotRequired[str]


class TargetInfo(TypedDict):
    """Target.TargetInfo."""

    targetId: str
    type: str
    browserContextId: NotRequired[str]


class RemoteObject[Value = Json](TypedDict, total=False):
    """Runtime.RemoteObject; `value` is absent if it is no JSON."""

    type: str
    subtype: str
    className: str
    description: str
    unserializableValue: str
    value: Value


class ExceptionDetails(TypedDict):
    """Runtime.ExceptionDetails; lines and columns count from 0."""

    text: str
    lineNumber: int
    columnNumber: int
    url: NotRequired[str]
    exception: NotRequired[RemoteObject]


class Rect(TypedDict):
    """DOM.Rect, in CSS pixels."""

    x: float
    y: float
    width: float
    height: float


class LayoutViewport(TypedDict):
    """Page.LayoutViewport, in CSS pixels."""

    pageX: int
    pageY: int


class Frame(TypedDict):
    """Page.Frame."""

    id: str


class FrameTree(TypedDict):
    """Page.FrameTree."""

    frame: Frame
    childFrames: NotRequired[list["FrameTree"]]


class Event(TypedDict, total=False):
    """Parameters of the handled events; each method has its own selection of them."""

    args: list[RemoteObject]
    blockedReason: str
    canceled: bool
    dataLength: int
    delay: float
    entry: LogEntry
    errorText: str
    exceptionDetails: ExceptionDetails
    frameId: str
    networkId: str
    parentFrameId: str
    redirectedRequestId: str
    request: NetworkRequest
    requestId: str
    resourceType: str
    response: NetworkResponse
    responseErrorReason: str
    responseHeaders: list[HeaderEntry]
    responseStatusCode: int
    sessionId: str
    targetInfo: TargetInfo
    timestamp: float
    type: str
    url: str


class CallResult(TypedDict, total=False):
    """Results of the calls; each method has its own selection of them."""

    browserContextId: str
    cssContentSize: Rect
    cssLayoutViewport: LayoutViewport
    data: str
    errorText: str
    exceptionDetails: ExceptionDetails
    executionContextId: int
    frameTree: FrameTree
    isDownload: bool
    nodes: int
    result: RemoteObject


class FunctionResult[Value](TypedDict, total=False):
    """Result of Runtime.callFunctionOn for a function that returns Value."""

    exceptionDetails: ExceptionDetails
    result: RemoteObject[Value]


class CallError(TypedDict):
    """Error of a refused call."""

    message: str


class Message(TypedDict, total=False):
    """Answer to a call (`id` with `result` or `error`), or an event (`method`, `params`)."""

    id: int
    result: CallResult
    error: CallError
    method: str
    params: Event
    sessionId: str


class PageFunction[Value](str):
    """Declaration of a JavaScript function that returns Value, or a promise of it."""

    __slots__ = ()
