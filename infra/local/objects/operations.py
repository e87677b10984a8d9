"""Operations of the object store, one function each, by method and by what the query names."""

import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote
from xml.etree.ElementTree import Element

from infra.local.objects.answers import Answer, Field, RefusedError, xml, xml_time
from infra.local.objects.cors import CorsRule
from infra.local.objects.folder import ConditionError, ListedObject
from infra.local.objects.multipart import InvalidPartError, NamedPart, PartTooSmallError
from infra.local.objects.object_file import ObjectFile
from infra.local.objects.reading import read_answer
from infra.local.objects.requests import StoreRequest

if TYPE_CHECKING:
    from infra.local.objects.server import Bucket

type Operation = Callable[["Bucket", str, StoreRequest], Answer]

_PAGE: Final = 1_000
_MAX_PARTS: Final = 10_000
_NUMBER: Final = re.compile("[0-9]{1,5}")


def answer(bucket: "Bucket", key: str, request: StoreRequest) -> Answer:
    """Return the answer to a request about a bucket, or about an object if there is a key."""
    queries, operations = (_OBJECT_QUERIES, _OBJECT) if key else (_BUCKET_QUERIES, _BUCKET)
    named = next((name for name in queries if name in request.query), "")
    operation = operations.get(f"{request.method} {named}".strip())
    if operation is None:
        text = f"{request.method} with the query {request.raw_query!r} is not served here."
        raise RefusedError(HTTPStatus.NOT_IMPLEMENTED, "NotImplemented", text)
    return operation(bucket, key, request)


def _put(bucket: "Bucket", key: str, request: StoreRequest) -> Answer:
    if "x-amz-copy-source" in request.headers:
        return _copy(bucket, key, request)
    try:
        properties = bucket.objects.put(
            key, request.write_content, allowed=_condition(request.headers)
        )
    except ConditionError as fault:
        text = "At least one of the preconditions you specified did not hold."
        status = HTTPStatus.PRECONDITION_FAILED
        raise RefusedError(status, "PreconditionFailed", text) from fault
    return Answer(headers={"etag": properties.etag})


def _condition(headers: Mapping[str, str]) -> Callable[[ObjectFile | None], bool] | None:
    if headers.get("if-none-match") == "*":
        return lambda there: there is None
    if (etag := headers.get("if-match")) is not None:
        return lambda there: (
            there is not None and there.properties.etag.strip('"') == etag.strip('"')
        )
    return None


def _copy(bucket: "Bucket", key: str, request: StoreRequest) -> Answer:
    source_bucket, _, source_key = (
        unquote(request.headers["x-amz-copy-source"]).lstrip("/").partition("/")
    )
    if source_bucket != request.bucket_and_key[0]:
        text = "An object is copied within its bucket."
        raise RefusedError(HTTPStatus.NOT_IMPLEMENTED, "NotImplemented", text)
    with _open(bucket, source_key) as source:
        kept = dict(source.properties.headers)
        if request.headers.get("x-amz-metadata-directive", "").upper() == "REPLACE":
            kept = request.kept_headers()
        copied = StoreRequest("PUT", "", "", kept, source.content())
        properties = bucket.objects.put(key, copied.write_content)
    fields: list[Field] = [("ETag", properties.etag), ("ChecksumSHA256", properties.sha256)]
    return xml("CopyObjectResult", [("LastModified", _now(bucket, key)), *fields])


def _now(bucket: "Bucket", key: str) -> str:
    with _open(bucket, key) as copied:
        return xml_time(copied.modified)


def _get(bucket: "Bucket", key: str, request: StoreRequest) -> Answer:
    is_head = request.method == "HEAD"
    return read_answer(_open(bucket, key), request.headers, request.query, is_head=is_head)


def _open(bucket: "Bucket", key: str) -> ObjectFile:
    found = bucket.objects.open(key)
    if found is None:
        text = "The specified key does not exist."
        raise RefusedError(HTTPStatus.NOT_FOUND, "NoSuchKey", text)
    return found


def _delete(bucket: "Bucket", key: str, _request: StoreRequest) -> Answer:
    bucket.objects.delete(key)
    return Answer(HTTPStatus.NO_CONTENT)


def _delete_many(bucket: "Bucket", _key: str, request: StoreRequest) -> Answer:
    body = request.xml()
    keys = [each.findtext("Key") or "" for each in body.iter("Object")]
    if len(keys) > _PAGE:
        raise RefusedError(HTTPStatus.BAD_REQUEST, "MalformedXML", "At most 1 000 keys at once.")
    bucket.objects.delete(*keys)
    is_quiet = body.findtext("Quiet") == "true"
    deleted: list[Field] = [] if is_quiet else [("Deleted", [("Key", key)]) for key in keys]
    return xml("DeleteResult", deleted)


def _list(bucket: "Bucket", _key: str, request: StoreRequest) -> Answer:
    query = request.query
    if query.get("delimiter"):
        raise RefusedError(HTTPStatus.NOT_IMPLEMENTED, "NotImplemented", "List without delimiter.")
    most = min(_PAGE, int(query.get("max-keys") or _PAGE))
    prefix, after = query.get("prefix", ""), query.get("continuation-token")
    listed = bucket.objects.list(prefix, after or query.get("start-after", ""), most + 1)
    is_cut, listed = len(listed) > most, listed[:most]
    shown = quote if query.get("encoding-type") == "url" else str
    contents = [field for each in listed if (field := _entry(each, shown)) is not None]
    fields: list[Field] = [
        ("Name", request.bucket_and_key[0]),
        ("Prefix", shown(prefix)),
        ("KeyCount", len(contents)),
        ("MaxKeys", most),
        ("IsTruncated", str(is_cut).lower()),
        *contents,
    ]
    if "encoding-type" in query:
        fields.append(("EncodingType", "url"))
    if is_cut:
        fields.append(("NextContinuationToken", listed[-1].key))
    return xml("ListBucketResult", fields)


def _entry(each: ListedObject, shown: Callable[[str], str]) -> Field | None:
    opened = ObjectFile.open(each.path)
    if opened is None:
        return None
    with opened:
        properties = opened.properties
    fields: list[Field] = [
        ("Key", shown(each.key)),
        ("LastModified", xml_time(each.modified)),
        ("ETag", properties.etag),
        ("Size", properties.size),
        ("StorageClass", "STANDARD"),
    ]
    return "Contents", fields


def _begin_upload(bucket: "Bucket", key: str, request: StoreRequest) -> Answer:
    upload_id = bucket.uploads.begin(key, request.kept_headers())
    fields: list[Field] = [
        ("Bucket", request.bucket_and_key[0]),
        ("Key", key),
        ("UploadId", upload_id),
    ]
    return xml("InitiateMultipartUploadResult", fields)


def _put_part(bucket: "Bucket", key: str, request: StoreRequest) -> Answer:
    number = request.query.get("partNumber", "")
    if "x-amz-copy-source" in request.headers:
        text = "A part is sent, not copied."
        raise RefusedError(HTTPStatus.NOT_IMPLEMENTED, "NotImplemented", text)
    if not _NUMBER.fullmatch(number) or not 1 <= int(number) <= _MAX_PARTS:
        text = "Part number must be an integer between 1 and 10000, inclusive"
        raise RefusedError(HTTPStatus.BAD_REQUEST, "InvalidArgument", text)
    part = bucket.uploads.put_part(
        request.query["uploadId"], key, int(number), request.write_content
    )
    return Answer(headers={"etag": part.etag, "x-amz-checksum-sha256": part.sha256})


def _list_parts(bucket: "Bucket", key: str, request: StoreRequest) -> Answer:
    query = request.query
    most = min(_PAGE, int(query.get("max-parts") or _PAGE))
    after = int(query.get("part-number-marker") or 0)
    parts = [each for each in bucket.uploads.parts(query["uploadId"], key) if each.number > after]
    shown = parts[:most]
    fields: list[Field] = [
        ("Bucket", request.bucket_and_key[0]),
        ("Key", key),
        ("UploadId", query["uploadId"]),
        ("PartNumberMarker", after),
        ("MaxParts", most),
        ("IsTruncated", str(len(parts) > most).lower()),
        ("ChecksumAlgorithm", "SHA256"),
    ]
    if shown:
        fields.append(("NextPartNumberMarker", shown[-1].number))
    for each in shown:
        part: list[Field] = [
            ("PartNumber", each.number),
            ("LastModified", xml_time(each.modified)),
            ("ETag", each.properties.etag),
            ("Size", each.properties.size),
            ("ChecksumSHA256", each.properties.sha256),
        ]
        fields.append(("Part", part))
    return xml("ListPartsResult", fields)


def _complete_upload(bucket: "Bucket", key: str, request: StoreRequest) -> Answer:
    parts = [_named_part(each) for each in request.xml().iter("Part")]
    if [part.number for part in parts] != sorted({part.number for part in parts}):
        text = "The list of parts was not in ascending order."
        raise RefusedError(HTTPStatus.BAD_REQUEST, "InvalidPartOrder", text)
    try:
        properties = bucket.uploads.complete(request.query["uploadId"], key, parts)
    except InvalidPartError as fault:
        text = "One or more of the specified parts could not be found, or is another one."
        raise RefusedError(HTTPStatus.BAD_REQUEST, "InvalidPart", text) from fault
    except PartTooSmallError as fault:
        text = "Your proposed upload is smaller than the minimum allowed size"
        raise RefusedError(HTTPStatus.BAD_REQUEST, "EntityTooSmall", text) from fault
    fields: list[Field] = [
        ("Bucket", request.bucket_and_key[0]),
        ("Key", key),
        ("ETag", properties.etag),
        ("ChecksumSHA256", properties.sha256),
    ]
    return xml("CompleteMultipartUploadResult", fields)


def _named_part(element: Element) -> NamedPart:
    number = element.findtext("PartNumber") or ""
    if not _NUMBER.fullmatch(number):
        raise RefusedError(HTTPStatus.BAD_REQUEST, "MalformedXML", "A part has a number.")
    return NamedPart(
        int(number), element.findtext("ETag") or "", element.findtext("ChecksumSHA256")
    )


def _abort_upload(bucket: "Bucket", key: str, request: StoreRequest) -> Answer:
    bucket.uploads.abort(request.query["uploadId"], key)
    return Answer(HTTPStatus.NO_CONTENT)


def _list_uploads(bucket: "Bucket", _key: str, request: StoreRequest) -> Answer:
    # All on one page: there are few, and the day-old ones are deleted.
    prefix = request.query.get("prefix", "")
    uploads = sorted(bucket.uploads.all(prefix), key=lambda each: (each.key, each.begun))
    fields: list[Field] = [
        ("Bucket", request.bucket_and_key[0]),
        ("Prefix", prefix),
        ("IsTruncated", "false"),
    ]
    for each in uploads:
        upload: list[Field] = [
            ("Key", each.key),
            ("UploadId", each.id),
            ("Initiated", xml_time(each.begun)),
        ]
        fields.append(("Upload", upload))
    return xml("ListMultipartUploadsResult", fields)


def _set_cors(bucket: "Bucket", _key: str, request: StoreRequest) -> Answer:
    bucket.cors = [_cors_rule(each) for each in request.xml().iter("CORSRule")]
    return Answer()


def _cors_rule(element: Element) -> CorsRule:
    def texts(name: str) -> list[str]:
        return [each.text or "" for each in element.iter(name)]

    age = element.findtext("MaxAgeSeconds")
    return CorsRule(
        texts("AllowedOrigin"),
        texts("AllowedMethod"),
        texts("AllowedHeader"),
        texts("ExposeHeader"),
        int(age) if age else None,
    )


def _show(_bucket: "Bucket", _key: str, _request: StoreRequest) -> Answer:
    return Answer()


# Names in the query that choose an operation.
_OBJECT_QUERIES: Final = ("uploadId", "uploads", "tagging", "acl", "versionId", "attributes")
_BUCKET_QUERIES: Final = ("list-type", "uploads", "cors", "delete", "lifecycle", "versions")
_OBJECT: Final[Mapping[str, Operation]] = {
    "PUT": _put,
    "GET": _get,
    "HEAD": _get,
    "DELETE": _delete,
    "POST uploads": _begin_upload,
    "PUT uploadId": _put_part,
    "GET uploadId": _list_parts,
    "POST uploadId": _complete_upload,
    "DELETE uploadId": _abort_upload,
}
_BUCKET: Final[Mapping[str, Operation]] = {
    # Of a bucket that is there: making it again changes nothing.
    "PUT": _show,
    "HEAD": _show,
    "GET list-type": _list,
    "GET uploads": _list_uploads,
    "POST delete": _delete_many,
    "PUT cors": _set_cors,
}
