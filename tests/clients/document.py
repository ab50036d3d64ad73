"""The OpenAPI document itself: it is valid, and its examples and the program's answers fit its schemas."""

import json
from pathlib import Path

from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

NAME = "urn:document"


# The schemas of answers that a command printed.
ANSWERS = {"decision.json": "Decision", "explanation.json": "Explanation", "metrics.json": "Metrics"}


def check_document(document: dict, folder: Path) -> str:
    """Raises at what is invalid, and says what was held against its schema."""
    validate(document)
    without_name = [path for path, method, operation in operations(document) if not operation.get("operationId")]
    assert not without_name, f"no operationId: {without_name}"
    registry = Registry().with_resource(NAME, Resource.from_contents(document, default_specification=DRAFT202012))

    def compare(what: str, schema: dict, value) -> None:
        checker = Draft202012Validator.FORMAT_CHECKER
        validator = Draft202012Validator(absolute(schema), registry=registry, format_checker=checker)
        for error in validator.iter_errors(value):
            raise AssertionError(f"{what}: {error.json_path}: {error.message}")

    examples = 0
    for path, method, operation in operations(document):
        for place, content in contents(operation):
            if "example" in content:
                examples += 1
                compare(f"the example of {method} {path}, {place}", content["schema"], content["example"])
    assert examples > 0, "the document has no examples"
    for name, schema in ANSWERS.items():
        compare(name, document["components"]["schemas"][schema], json.loads((folder / name).read_bytes()))
    return f"{len(document['paths'])} paths; {examples} examples and {len(ANSWERS)} answers fit their schemas"


def operations(document: dict):
    """Every path, method and operation."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def contents(operation: dict):
    """Every body of an operation, sent or answered, with where it is."""
    for kind, content in operation.get("requestBody", {}).get("content", {}).items():
        yield f"sent as {kind}", content
    for status, response in operation["responses"].items():
        for kind, content in response.get("content", {}).items():
            yield f"{status} as {kind}", content


def absolute(part):
    """A part of the document by itself: its references name the document."""
    if isinstance(part, dict):
        return {key: NAME + value if key == "$ref" else absolute(value) for key, value in part.items()}
    if isinstance(part, list):
        return [absolute(value) for value in part]
    return part
