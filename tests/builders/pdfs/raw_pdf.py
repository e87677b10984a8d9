"""PDFs written object by object, as no library writes them."""

from collections.abc import Mapping

CATALOG = b"<< /Type /Catalog /Pages 2 0 R >>"
PAGES = b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>"
PAGE = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Resources << >> >>"
SOUND = {1: CATALOG, 2: PAGES, 3: PAGE}


def raw_pdf(objects: Mapping[int, bytes], trailer: bytes = b"", before: bytes = b"") -> bytes:
    """Return a PDF of these objects, as an incremental update of `before` if that is given."""
    out = bytearray(before or b"%PDF-1.5\n")
    rows = [b"0000000000 65535 f \n"]
    for number in range(1, max(objects) + 1):
        if number not in objects:
            rows.append(b"0000000000 00000 f \n")
            continue
        rows.append(b"%010d 00000 n \n" % len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, objects[number])
    table = len(out)
    out += b"xref\n0 %d\n%b" % (len(rows), b"".join(rows))
    out += b"trailer\n<< /Size %d /Root 1 0 R %b>>\n" % (len(rows), trailer)
    return bytes(out + b"startxref\n%d\n%%%%EOF\n" % table)


def raw_stream(content: bytes, entries: bytes) -> bytes:
    """Return a stream object."""
    head = b"<< %b /Length %d >>" % (entries, len(content))
    return b"%b\nstream\n%b\nendstream" % (head, content)


def packed_pdf(object_stream: bytes) -> bytes:
    """Return a PDF whose page tree is in this object stream."""
    out, places = bytearray(b"%PDF-1.5\n"), {}
    for number, body in {1: CATALOG, 3: PAGE, 4: object_stream}.items():
        places[number] = len(out)
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    places[5] = len(out)
    rows = [b"\0" * 6]
    for number in range(1, 6):
        row = (2, 4) if number == 2 else (1, places[number])
        rows.append(bytes([row[0]]) + row[1].to_bytes(4, "big") + b"\0")
    table = raw_stream(b"".join(rows), b"/Type /XRef /Size 6 /W [1 4 1] /Root 1 0 R")
    out += b"5 0 obj\n%b\nendobj\nstartxref\n%d\n%%%%EOF\n" % (table, places[5])
    return bytes(out)
