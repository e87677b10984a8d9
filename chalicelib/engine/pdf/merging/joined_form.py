"""Form of joined documents: fields of equal names get a number."""

from collections.abc import Iterable, Mapping

from pikepdf import Array, Dictionary, Object, Pdf, String

from chalicelib.engine.pdf.merging.joined_names import distinct_keys
from chalicelib.engine.pdf.merging.parcel import CopiedSet, CopySet
from chalicelib.engine.pdf.trees.actions import actions_of
from chalicelib.engine.pdf.trees.name_trees import dictionaries


class JoinedForm:
    """Fields of the first level, in the order of the documents."""

    def __init__(self, document: Pdf) -> None:
        """Begin with those of the first document."""
        self._document = document
        form = document.Root.get("/AcroForm")
        self._form = form if isinstance(form, Dictionary) else Dictionary()
        self._fields = dictionaries(self._form.get("/Fields"))
        self._names = {str(field.get("/T", "")) for field in self._fields}
        self._order = dictionaries(self._form.get("/CO"))
        self._is_changed = False

    def pack(self, source: Pdf, owners: Iterable[Object], copy_set: CopySet) -> None:
        """Rename the source's fields whose names are taken, also where actions name them."""
        form = source.Root.get("/AcroForm")
        if not isinstance(form, Dictionary):
            return
        fields = dictionaries(form.get("/Fields"))
        names = {str(field.get("/T", "")) for field in fields}
        new_names = distinct_keys(names, self._names, copy_set.place, _add_number)
        for field in fields:
            name = str(field.get("/T", ""))
            if name in new_names:
                field.T = String(new_names[name])
            # What the form says about all its fields, its fields now say themselves.
            for key in ("/DA", "/Q"):
                if key in form and key not in field and form[key] != self._form.get(key):
                    field[key] = form[key]
        if new_names:
            _rename_in_actions(owners, new_names)
        self._names |= {new_names.get(name, name) for name in names}
        copy_set.put("Fields", fields)
        copy_set.put("Order", dictionaries(form.get("/CO")))
        copy_set.put("Form", [_form_of_all(form)])

    def unpack(self, copied: CopiedSet) -> None:
        """Add the copies."""
        self._fields += copied.objects("Fields")
        self._order += copied.objects("Order")
        for form in copied.objects("Form"):
            self._is_changed = True
            self._merge_form(form)

    def _merge_form(self, form: Object) -> None:
        own = self._form
        own.SigFlags = int(own.get("/SigFlags", 0)) | int(form.get("/SigFlags", 0))
        if form.get("/NeedAppearances", False):
            own.NeedAppearances = True
        resources = form.get("/DR")
        if isinstance(resources, Dictionary):
            for kind, entries in resources.as_dict().items():
                _add_missing(_dictionary(_dictionary(own, "/DR"), kind), entries)

    def write(self) -> None:
        """Write the form."""
        if self._is_changed:
            self._form.Fields = Array(self._fields)
            if self._order:
                self._form.CO = Array(self._order)
            self._document.Root.AcroForm = self._form


def _add_number(name: str, number: int) -> str:
    return f"{name}-{number}"


def _form_of_all(form: Object) -> Dictionary:
    keys = ("/SigFlags", "/NeedAppearances", "/DR")
    return Dictionary({key: form[key] for key in keys if key in form})


def _rename_in_actions(owners: Iterable[Object], new_names: Mapping[str, str]) -> None:
    for owner in owners:
        for action in actions_of(owner):
            for key in ("/Fields", "/T"):
                value = action.get(key)
                if isinstance(value, String):
                    action[key] = _rename_value(value, new_names)
                elif isinstance(value, Array):
                    action[key] = Array(
                        [_rename_value(each, new_names) for each in value.as_list()]
                    )


def _rename_value(value: Object, new_names: Mapping[str, str]) -> Object:
    if not isinstance(value, String):
        return value
    first, dot, rest = str(value).partition(".")
    return String(new_names.get(first, first) + dot + rest)


def _dictionary(owner: Object, key: str) -> Object:
    if not isinstance(owner.get(key), Dictionary):
        owner[key] = Dictionary()
    return owner[key]


def _add_missing(owner: Object, entries: object) -> None:
    if isinstance(entries, Dictionary):
        for name, value in entries.as_dict().items():
            if name not in owner:
                owner[name] = value
