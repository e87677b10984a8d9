"""Translation of a SAM template to plain CloudFormation, as AWS does on deployment."""

import copy
import json
from collections.abc import Mapping
from typing import Any

from infra.package.archives import CODE_FIELDS
from infra.package.sam import REGION


def translate(template: Mapping[str, Any]) -> dict[str, Any]:
    """Return the template as CloudFormation, with code locations on S3 as after an upload."""
    # Imported here: development tools, which only `make package` and tests need.
    import boto3  # noqa: PLC0415
    from samtranslator.parser.parser import Parser  # noqa: PLC0415
    from samtranslator.translator.translator import Translator  # noqa: PLC0415

    session = boto3.session.Session(region_name=REGION)
    translator = Translator({}, Parser(), boto_session=session)
    translated = translator.translate(_with_s3_locations(template), parameter_values={})
    # Through JSON, because the translator returns dictionaries of its own type.
    plain: dict[str, Any] = json.loads(json.dumps(translated))
    return plain


def _with_s3_locations(template: Mapping[str, Any]) -> dict[str, Any]:
    uploaded = copy.deepcopy(dict(template))
    for resource in uploaded["Resources"].values():
        if field := CODE_FIELDS.get(resource["Type"]):
            name = resource["Properties"][field].removeprefix("./")
            resource["Properties"][field] = f"s3://artifacts/{name}"
    return uploaded
