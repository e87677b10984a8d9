"""Template of the two infrastructure files, merged as Chalice merges them, and its intrinsics."""

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
SOURCES: Final = (ROOT / "infra" / "resources.yaml", ROOT / "infra" / "functions.yaml")
PSEUDO_PARAMETERS: Final = {
    "AWS::AccountId": "000000000000",
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
}
_PLACEHOLDER: Final = re.compile(r"\$\{(!?)([^}]+)\}")


class TemplateError(Exception):
    """An intrinsic of the infrastructure files cannot be resolved."""


@cache
def load_template() -> Mapping[str, Any]:
    """Return both files as one template, with intrinsics in their long form."""
    # Imported here: it loads botocore, which resolving alone does not need.
    from chalice.package import (  # noqa: PLC0415
        TemplateDeepMerger,
        YAMLTemplateSerializer,
    )

    merged: dict[str, Any] = {}
    for source in SOURCES:
        part = YAMLTemplateSerializer().load_template(source.read_text(encoding="utf-8"))
        merged = TemplateDeepMerger().merge(part, merged)
    return merged


class IntrinsicResolver:
    """Resolver of Ref, Fn::GetAtt, Fn::Sub, Fn::Join, Fn::If and Fn::Equals."""

    def __init__(
        self,
        template: Mapping[str, Any],
        *,
        parameters: Mapping[str, str],
        attributes: Mapping[str, Mapping[str, str]],
    ) -> None:
        """Resolve against `attributes`: `Ref` and attributes by logical id.

        The mapping may grow between calls, as resources are created.
        """
        defaults = {
            name: str(declared["Default"])
            for name, declared in template.get("Parameters", {}).items()
            if "Default" in declared
        }
        self._scalars = {**PSEUDO_PARAMETERS, **defaults, **parameters}
        self._conditions: Mapping[str, Any] = template.get("Conditions", {})
        self._attributes = attributes

    def resolve(self, value: Any) -> Any:
        """Return the value with every intrinsic replaced; raises TemplateError."""
        if isinstance(value, list):
            return [item for item in map(self.resolve, value) if item is not None]
        if not isinstance(value, dict):
            return value
        if len(value) == 1:
            (name, argument), *_ = value.items()
            if handler := self._handlers().get(name):
                return handler(argument)
        resolved = {key: self.resolve(item) for key, item in value.items()}
        return {key: item for key, item in resolved.items() if item is not None}

    def _handlers(self) -> Mapping[str, Callable[[Any], Any]]:
        return {
            "Ref": self._ref,
            "Fn::GetAtt": self._get_att,
            "Fn::Sub": self._sub,
            "Fn::Join": self._join,
            "Fn::If": self._if,
            "Fn::Equals": self._equals,
        }

    def _ref(self, name: str) -> Any:
        if name == "AWS::NoValue":
            return None
        if name in self._scalars:
            return self._scalars[name]
        return self._attribute(name, "Ref")

    def _get_att(self, path: str | list[str]) -> str:
        name, attribute = path.split(".", 1) if isinstance(path, str) else path
        return self._attribute(name, attribute)

    def _sub(self, argument: str | list[Any]) -> str:
        text, local = (argument, {}) if isinstance(argument, str) else argument

        def replace(match: re.Match[str]) -> str:
            literal, name = match.groups()
            if literal:
                return f"${{{name}}}"
            if name in local:
                return str(self.resolve(local[name]))
            return str(self._get_att(name) if "." in name else self._ref(name))

        return _PLACEHOLDER.sub(replace, text)

    def _join(self, argument: list[Any]) -> str:
        separator, parts = argument
        return str(separator).join(map(str, self.resolve(parts)))

    def _if(self, argument: list[Any]) -> Any:
        condition, yes, no = argument
        return self.resolve(yes if self.resolve(self._conditions[condition]) else no)

    def _equals(self, argument: list[Any]) -> bool:
        left, right = self.resolve(argument)
        return bool(left == right)

    def _attribute(self, name: str, attribute: str) -> str:
        known = self._attributes.get(name, {})
        if attribute not in known:
            message = f"{name}.{attribute} is not known on one machine"
            raise TemplateError(message)
        return known[attribute]


def references(value: Any) -> set[str]:
    """Return the names of parameters and resources that a value refers to."""
    if isinstance(value, list):
        return set().union(*map(references, value))
    if not isinstance(value, dict):
        return set()
    names = set().union(*map(references, value.values()))
    if "Ref" in value:
        names.add(value["Ref"])
    if "Fn::GetAtt" in value:
        path = value["Fn::GetAtt"]
        names.add(path.split(".", 1)[0] if isinstance(path, str) else path[0])
    if "Fn::Sub" in value:
        text = value["Fn::Sub"] if isinstance(value["Fn::Sub"], str) else value["Fn::Sub"][0]
        names |= {
            name.split(".", 1)[0] for literal, name in _PLACEHOLDER.findall(text) if not literal
        }
    return names
