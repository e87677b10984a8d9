"""Form of an item: its fields as they stand in the merged form."""

from pikepdf import Array, Dictionary, Object, Pdf, String

from chalicelib.engine.pdf.trees.name_trees import dictionaries


class FormFields:
    """Fields of a form as they stand in the merged one: `fields`, and their `new_names`.

    Fields whose name is `taken` become kids of a field `prefix`: the name of a field is that of its
    parents and its own, with full stops between.
    """

    def __init__(self, document: Pdf, form: Object, prefix: str, taken: frozenset[str]) -> None:
        """Read the fields of the first level."""
        self.fields: list[Object] = []
        self.new_names: list[str] = []
        repeated: list[Object] = []
        for field in dictionaries(form.get("/Fields")):
            # The defaults of the form become those of its fields: two forms may have two.
            for key in ("/DA", "/Q"):
                if key in form and key not in field:
                    field[key] = form[key]
            name = str(field.get("/T", ""))
            if name in taken:
                repeated.append(field)
            else:
                self.fields.append(field)
                self.new_names.append(name)
        if repeated:
            parent = document.make_indirect(Dictionary(T=String(prefix), Kids=Array(repeated)))
            self.fields.append(parent)
            for field in repeated:
                field.Parent = parent
