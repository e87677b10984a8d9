"""Layers (optional content groups) of joined documents; each stays shown or hidden as it was."""

from pikepdf import Array, Dictionary, Name, Object, Pdf

from chalicelib.engine.pdf.merging.parcel import CopiedSet, CopySet
from chalicelib.engine.pdf.trees.name_trees import dictionaries

# Lists of the default configuration that name layers.
_LISTS = ("/ON", "/OFF", "/Locked", "/Order", "/RBGroups", "/AS")


class JoinedLayers:
    """Layers and the lists of the default configuration."""

    def __init__(self, document: Pdf) -> None:
        """Begin with those of the first document."""
        self._document = document
        self._copied = list[CopiedSet]()

    def pack(self, source: Pdf, copy_set: CopySet) -> None:
        """Put in the layers, with those that are hidden by default in the list of hidden ones."""
        properties = source.Root.get("/OCProperties")
        if not isinstance(properties, Dictionary):
            return
        layers = dictionaries(properties.get("/OCGs"))
        copy_set.put("Layers", layers)
        defaults = properties.get("/D")
        if not isinstance(defaults, Dictionary):
            return
        for name in _LISTS:
            if isinstance(defaults.get(name), Array):
                copy_set.put(f"Layers{name[1:]}", defaults[name].as_list())
        if defaults.get("/BaseState") == Name.OFF:
            shown = {layer.objgen for layer in dictionaries(defaults.get("/ON"))}
            copy_set.put("LayersOFF", [each for each in layers if each.objgen not in shown])

    def unpack(self, copied: CopiedSet) -> None:
        """Add the copies."""
        if copied.objects("Layers"):
            self._copied.append(copied)

    def write(self) -> None:
        """Write the layers."""
        if not self._copied:
            return
        root = self._document.Root
        if not isinstance(root.get("/OCProperties"), Dictionary):
            root.OCProperties = Dictionary(OCGs=Array(), D=Dictionary(Order=Array()))
        properties = root.OCProperties
        defaults = properties.D
        are_hidden = defaults.get("/BaseState") == Name.OFF
        layers = list[Object]()
        for copied in self._copied:
            own = copied.objects("Layers")
            layers += own
            if are_hidden:
                hidden = {
                    layer.objgen for layer in dictionaries(Array(copied.objects("LayersOFF")))
                }
                _extend(defaults, "/ON", [each for each in own if each.objgen not in hidden])
            for name in _LISTS:
                if name != "/ON":
                    _extend(defaults, name, copied.objects(f"Layers{name[1:]}"))
        _extend(properties, "/OCGs", layers)


def _extend(owner: Object, key: str, added: list[Object]) -> None:
    if added:
        listed = owner.get(key)
        own = listed if isinstance(listed, Array) else Array()
        owner[key] = Array([*own.as_list(), *added])
