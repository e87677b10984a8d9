"""Object store as a WSGI application: the part of S3's protocol that Platen speaks.

A write is answered when it is on the disk. Requests are signed as S3's are (decision 58); another
operation is answered with `NotImplemented`.
"""

import datetime as dt
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, cast

from multipart import MultipartError

from infra.local.access.keys import AccessKey
from infra.local.access.signatures import (
    ReceivedRequest,
    UnsignedError,
    check_form,
    check_signature,
    needs_body,
)
from infra.local.access.wsgi import StartResponse
from infra.local.objects.answers import Answer, RefusedError
from infra.local.objects.cors import CorsRule, cors_headers
from infra.local.objects.disk import Disk
from infra.local.objects.folder import KeyTooLongError, ObjectFolder
from infra.local.objects.forms import check_policy, read_form
from infra.local.objects.moment import Moment
from infra.local.objects.multipart import NoSuchUploadError, Uploads
from infra.local.objects.operations import answer
from infra.local.objects.requests import StoreRequest

_BUCKET: Final = re.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")


class Bucket:
    """One bucket: its objects, its uploads, and its rules for pages."""

    def __init__(self, path: Path, disk: Disk) -> None:
        """Keep the bucket in a folder, which is made."""
        self.objects = ObjectFolder(path, disk)
        self.uploads = Uploads(self.objects, path / "uploads")
        self.uploads.remove_leftovers()
        self.moment = Moment(path)
        self.moment.remove_leftovers()
        self.cors: Sequence[CorsRule] = ()


class ObjectStore:
    """WSGI application that serves the buckets of a folder to callers that sign with `key`."""

    def __init__(self, root: Path, key: AccessKey, disk: Disk | None = None) -> None:
        """Serve the folder, which is made; one process only uses it."""
        root.mkdir(0o700, parents=True, exist_ok=True)
        self._root = root
        self._key = key
        self.disk = disk or Disk()
        self._lock = threading.Lock()
        self.buckets = {folder.name: Bucket(folder, self.disk) for folder in root.iterdir()}

    def __call__(self, environ: Mapping[str, Any], start: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        request = StoreRequest.from_environ(environ)
        name, key = request.bucket_and_key
        bucket = self.buckets.get(name)
        rules = bucket.cors if bucket else ()
        cors = cors_headers(rules, request.method, request.headers)
        if request.method == "OPTIONS":
            given = Answer(HTTPStatus.OK if cors else HTTPStatus.FORBIDDEN)
        else:
            given = self._safe_answer(request, environ, bucket, key)
        headers = {
            "content-length": str(len(given.content)) if isinstance(given.content, bytes) else "",
            **given.headers,
            **cors,
            "x-content-type-options": "nosniff",
        }
        listed = [(field, value) for field, value in headers.items() if value]
        start(f"{int(given.status)} {given.status.phrase}", listed)
        if not isinstance(given.content, bytes):
            return cast("Iterable[bytes]", given.content)
        is_bodiless = request.method == "HEAD" or given.status in {
            HTTPStatus.NO_CONTENT,
            HTTPStatus.NOT_MODIFIED,
        }
        return [] if is_bodiless else [given.content]

    def _safe_answer(
        self,
        request: StoreRequest,
        environ: Mapping[str, Any],
        bucket: Bucket | None,
        key: str,
    ) -> Answer:
        try:
            if _is_form(request, key):
                return self._upload_form(environ, request.bucket_and_key[0], bucket)
            self._check_signature(request)
            if bucket is None:
                return self._without_bucket(request, key)
            return answer(bucket, key, request)
        except RefusedError as refused:
            refusal = refused
        except KeyTooLongError:
            text = "Your key is too long"
            refusal = RefusedError(HTTPStatus.BAD_REQUEST, "KeyTooLongError", text)
        except NoSuchUploadError:
            text = "The specified multipart upload does not exist."
            refusal = RefusedError(HTTPStatus.NOT_FOUND, "NoSuchUpload", text)
        except OSError as fault:
            # A full disk, above all: boto3 tries again, and what was there is there still.
            text = f"The object store cannot do this: {fault.strerror}"
            refusal = RefusedError(HTTPStatus.SERVICE_UNAVAILABLE, "ServiceUnavailable", text)
        return refusal.answer

    def _check_signature(self, request: StoreRequest) -> None:
        if needs_body(request.headers, request.raw_query):
            raise _denial("Sign the request as S3's are.")
        received = ReceivedRequest(
            request.method, request.raw_path, request.raw_query, request.headers
        )
        try:
            check_signature(received, self._key, dt.datetime.now(dt.UTC))
        except UnsignedError as fault:
            raise _denial(str(fault)) from fault

    def _without_bucket(self, request: StoreRequest, key: str) -> Answer:
        name, _ = request.bucket_and_key
        if request.method != "PUT" or key or request.query:
            text = "The specified bucket does not exist"
            raise RefusedError(HTTPStatus.NOT_FOUND, "NoSuchBucket", text)
        if not _BUCKET.fullmatch(name):
            text = "The specified bucket is not valid."
            raise RefusedError(HTTPStatus.BAD_REQUEST, "InvalidBucketName", text)
        with self._lock:
            if name not in self.buckets:
                self.buckets[name] = Bucket(self._root / name, self.disk)
                self.disk.sync_folder(self._root)
        return Answer(headers={"location": f"/{name}"})

    def _upload_form(self, environ: Mapping[str, Any], name: str, bucket: Bucket | None) -> Answer:
        if bucket is None:
            text = "The specified bucket does not exist"
            raise RefusedError(HTTPStatus.NOT_FOUND, "NoSuchBucket", text)
        try:
            with read_form(environ) as (fields, file):
                try:
                    check_form(fields, self._key)
                except UnsignedError as fault:
                    raise _denial(str(fault)) from fault
                check_policy(fields, name, file.size, dt.datetime.now(dt.UTC))
                upload = StoreRequest("POST", "", "", fields, file.content)
                properties = bucket.objects.put(fields["key"], upload.write_content)
        except MultipartError as fault:
            code = "MalformedPOSTRequest"
            raise RefusedError(HTTPStatus.BAD_REQUEST, code, str(fault)) from fault
        return Answer(HTTPStatus.NO_CONTENT, {"etag": properties.etag})


def _is_form(request: StoreRequest, key: str) -> bool:
    """Tell whether this is an upload by form, and nothing that another header makes of it."""
    content_type = request.headers.get("content-type", "")
    return (
        request.method == "POST"
        and content_type.startswith("multipart/form-data")
        and not key
        and not request.raw_query
        and "authorization" not in request.headers
        and not any(name.startswith("x-amz-") for name in request.headers)
    )


def _denial(text: str) -> RefusedError:
    return RefusedError(HTTPStatus.FORBIDDEN, "AccessDenied", text)
