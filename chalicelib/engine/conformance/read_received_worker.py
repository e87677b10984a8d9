"""The process that reads one document of others: warms up, gives up its rights, answers.

Neither lxml nor qpdf can be stopped on their way, and both are C that strangers feed.
"""

import base64
import codecs
import io
import os
import resource
import sys
from typing import Final

import pikepdf

from chalicelib.engine.conformance.read_received import read_document
from chalicelib.engine.templating import process_sandbox, wire

_INPUT: Final = 0
_OUTPUT: Final = 1
_CPU_S: Final = 10
# What invoices are written in beside UTF-8; Python finds the rest in files, and none is opened.
_ENCODINGS: Final = ("cp1250", "cp1252", "iso8859_2", "iso8859_15", "utf_16", "utf_32")


def main(parent_pid: int) -> None:
    """Read the one document that is asked about; what breaks a bound ends the process."""
    _warm_up()
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
    wire.send({"ready": True, "is_filtered": process_sandbox.enter_sandbox(parent_pid)}, _OUTPUT)
    request = wire.receive(lambda size: os.read(_INPUT, size))
    if request is not None:
        wire.send(read_document(base64.b64decode(request["content"])) | {"recycle": False}, _OUTPUT)


def _warm_up() -> None:
    # Afterwards nothing can be loaded any more: no module, and no cipher for what anybody may open.
    read_document(b"<a/>")
    read_document(_encrypted_pdf())
    for name in _ENCODINGS:
        codecs.lookup(name)


def _encrypted_pdf() -> bytes:
    document = io.BytesIO()
    with pikepdf.new() as pdf:
        pdf.save(document, encryption=pikepdf.Encryption(owner="", user=""))
    return document.getvalue()


if __name__ == "__main__":
    main(int(sys.argv[1]))
