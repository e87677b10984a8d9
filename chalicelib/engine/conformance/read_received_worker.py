"""Worker process that reads one received document: warm up, enter the sandbox, answer.

lxml and qpdf are C code that parses input of strangers, and neither can be interrupted. A process
can be limited and killed.
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
# Encodings of invoices besides UTF-8. Codecs are modules, which the sandbox cannot load later.
_ENCODINGS: Final = ("cp1250", "cp1252", "iso8859_2", "iso8859_15", "utf_16", "utf_32")


def main(parent_pid: int) -> None:
    """Read one document from the pipe and send the answer; a broken limit ends the process."""
    _warm_up()
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
    wire.send({"ready": True, "is_filtered": process_sandbox.enter_sandbox(parent_pid)}, _OUTPUT)
    request = wire.receive(lambda size: os.read(_INPUT, size))
    if request is not None:
        wire.send(read_document(base64.b64decode(request["content"])) | {"recycle": False}, _OUTPUT)


def _warm_up() -> None:
    # The sandbox opens no files. Load all modules first, and the ciphers for an encrypted PDF that
    # opens without a password.
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
