"""The tools `protect` and `unlock`."""

import io
import unicodedata
from typing import Any, Literal

import pikepdf
import pypdf
import pypdfium2
import pytest
from pikepdf import Array, Dictionary, Name, String

from chalicelib.contract.options.pdf_tools import ProtectOptions, UnlockOptions
from chalicelib.core.errors import RenderFailure
from tests.builders.pdfs.content import blank, ink_box, opened, picture, run_tool, saved, tool_run
from tests.builders.pdfs.forms import FormBuilder

UNLOCK = UnlockOptions()


def protect(**fields: Any) -> ProtectOptions:
    return ProtectOptions.from_json(fields)


def locked(user: str = "u", owner: str = "o") -> bytes:
    return saved(blank(), encryption=pikepdf.Encryption(owner=owner, user=user, R=4, aes=True))


def test_a_protected_document_opens_with_its_password_only() -> None:
    protected = run_tool(protect(user_password="geheim ü"), blank())

    with pytest.raises(pikepdf.PasswordError):
        opened(protected)
    document = opened(protected, "geheim ü")
    assert document.encryption.R == 6
    assert len(pypdfium2.PdfDocument(protected, password="geheim ü")) == 1


@pytest.mark.parametrize("password", ["a\u0308", "a\u00a0b", "Ａﬁ①", "ü", "😀", "\u05e9\u05dc"])
def test_readers_open_a_document_with_what_is_typed(password: str) -> None:
    protected = run_tool(protect(user_password=password), blank())

    reader = pypdf.PdfReader(io.BytesIO(protected))
    assert reader.decrypt(password) == pypdf.PasswordType.USER_PASSWORD
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        typed = unicodedata.normalize(form, password)
        assert not opened(run_tool(UNLOCK, protected, typed)).is_encrypted


@pytest.mark.parametrize(
    ("revision", "written"), [(3, "ä€"), (4, "ä€"), (6, "ä€"), (6, "a\u0308€")]
)
@pytest.mark.parametrize("typed", ["ä€", "a\u0308€"])
def test_documents_of_other_writers_open_in_any_normal_form(
    revision: Literal[3, 4, 6], written: str, typed: str
) -> None:
    encryption = pikepdf.Encryption(
        owner="o", user=written, R=revision, aes=revision > 3, metadata=revision > 3
    )

    unlocked = run_tool(UNLOCK, saved(blank(), encryption=encryption), typed)

    assert not opened(unlocked).is_encrypted


def test_forbidden_characters_of_other_writers_open() -> None:
    encryption = pikepdf.Encryption(owner="o", user="a\tb\ue000", R=6)

    assert run_tool(UNLOCK, saved(blank(), encryption=encryption), "a\tb\ue000")


def test_permissions_hold_without_the_owner_password() -> None:
    options = protect(owner_password="o", permissions={"copy": False, "modify": False})

    document = opened(run_tool(options, blank()))

    assert document.allow.extract is False
    assert document.allow.modify_other is False
    assert document.allow.print_highres is True


def test_an_earlier_protection_goes() -> None:
    protected = run_tool(protect(user_password="new"), locked(), "u")

    assert opened(protected, "new").encryption.R == 6
    with pytest.raises(pikepdf.PasswordError):
        opened(protected, "u")


def test_a_protected_test_document_is_marked() -> None:
    protected = run_tool(protect(user_password="u"), blank(), test=True)

    assert ink_box(picture(protected, password="u"))


def test_a_claim_of_pdfa_is_warned_of() -> None:
    document = blank()
    with document.open_metadata() as xmp:
        xmp["pdfaid:part"], xmp["pdfaid:conformance"] = "2", "B"

    _, tool_input = tool_run(protect(user_password="u"), document)

    assert [each.detail for each in tool_input.warnings] == ["protection"]


@pytest.mark.parametrize("password", ["u", "o"])
def test_either_password_unlocks(password: str) -> None:
    unlocked = run_tool(UNLOCK, locked(), password)

    assert not opened(unlocked).is_encrypted
    assert len(pypdfium2.PdfDocument(unlocked)) == 1


def test_permissions_alone_go_without_a_password() -> None:
    assert not opened(run_tool(UNLOCK, locked(user=""))).is_encrypted


def test_an_open_document_passes() -> None:
    assert len(opened(run_tool(UNLOCK, blank())).pages) == 1


@pytest.mark.parametrize("password", [None, "wrong"])
def test_a_missing_or_wrong_password_is_refused(password: str | None) -> None:
    with pytest.raises(RenderFailure) as refused:
        run_tool(UNLOCK, locked(), password)

    assert refused.value.code == "pdf_password_required"


def test_unlocked_documents_have_equal_bytes() -> None:
    source = locked()

    assert run_tool(UNLOCK, source, "u") == run_tool(UNLOCK, source, "u")


def test_fields_that_contain_themselves_twice_end() -> None:
    form = FormBuilder()
    loop = form.document.make_indirect(Dictionary(T=String("loop")))
    loop.Kids = Array([loop, loop])
    form.form.Fields = Array([loop, None, 7])

    assert not opened(run_tool(UNLOCK, form.document)).is_encrypted


def test_a_signature_below_other_fields_is_warned_of() -> None:
    form = FormBuilder()
    inner = form.document.make_indirect(
        Dictionary(T=String("s"), FT=Name.Sig, V=Dictionary(Type=Name.Sig))
    )
    form.form.Fields.append(Dictionary(T=String("a"), Kids=Array([inner])))

    _, tool_input = tool_run(UNLOCK, form.document)

    assert [each.detail for each in tool_input.warnings] == ["signature"]
