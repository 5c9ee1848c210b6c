"""The type modules of both back ends: what each class says is data made here, printed by datamodel-code-generator.

That tool gets a skeleton of the lowered schema (definitions, members, references) and our templates, and puts every
definition in an order in which Python can read it. It may not name, merge, tag or choose anything: a class or alias
it adds, drops or repeats is an error.
"""

from __future__ import annotations

import ast
import json
import textwrap
import warnings
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..errors import CodegenError
from ..graph import circles, mentions
from ..ir import Anything, Case, Document, Field, Openness, Presence, Ref, Struct, TypeDef, TypeExpr, Union
from .text import KEYS, Names, Printer, docstring, literal, strings

BackEnd = Literal["structs", "models"]
TEMPLATES = Path(__file__).parent.parent / "templates" / "models"

_STRUCT_HELPERS: dict[str, str] = dict.fromkeys(
    "UNSET Bag BagKeys ConstantModel Meta Model Tagged Test UnsetType case constant field untagged".split(),
    "typedmcp.base",
)
_MODEL_HELPERS: dict[str, str] = {
    **dict.fromkeys(
        "MISSING Base64Text ConfigDict Exact Field Model Real Test Untagged case".split(), "typedmcp.base_models"
    ),
    "TypeAliasType": "typing_extensions",
}


@dataclass(frozen=True, slots=True)
class Module:
    """One printed module: its text before formatting, and the names it defines in order."""

    text: str
    names: tuple[str, ...]


def render(document: Document, back_end: BackEnd, header: str) -> Module:
    """The module of all types of a document for one back end, unformatted.

    Raises CodegenError when the printer did not print exactly the document's types.
    """
    structs = back_end == "structs"
    names = Names(document, _STRUCT_HELPERS if structs else _MODEL_HELPERS)
    printer = Printer(document, names, structs=structs)
    entries: dict[str, dict[str, Any]] = {}
    skeleton: dict[str, Any] = {}
    circle = circles(document.types)
    for type_ in document.types:
        for name, entry, mentioned in _entries(type_, printer):
            if name in entries:
                raise CodegenError(f"the type name {name} stands for two types", pointer=type_.pointer)
            entries[name] = entry
            is_class = entry["template"] == "class"
            # A class reads its annotations late, an alias is evaluated where it stands: on a circle the class yields.
            before = [other for other in mentioned if not (is_class and other in circle[type_.name])]
            skeleton[name] = _skeleton(is_class, before)
    if any(entry.get("checking") for entry in entries.values()):
        names.used.add("typing.TYPE_CHECKING")
    opening = f"{header}\nfrom __future__ import annotations\n\n__all__ = {sorted(entries)!r}\n"
    text = _print(skeleton, entries, opening, sorted(names.used))
    return Module(text, _defined(text, entries))


def _entries(type_: TypeDef, printer: Printer) -> list[tuple[str, dict[str, Any], list[str]]]:
    """What the templates need to print one type: its name, the data, the names it must come after."""
    mentioned = mentions(type_)
    if isinstance(type_, Struct):
        if printer.structs and type_.openness is Openness.KEPT:
            keys = _struct(type_, printer)
            keys["name"] = keys_name = type_.name + KEYS
            others = "" if isinstance(type_.others, Anything) else printer.type(type_.others)
            mark = f"{printer.names('Bag')}({literal(type_.name)}, {keys_name}"
            mark += f", {literal(others)})" if others else ")"
            annotation = f"{printer.names('Annotated')}[dict[str, {printer.names('Any')}], {mark}]"
            alias = _alias(type_, printer, annotation)
            keys["doc"] = docstring(f"The declared keys of `{type_.name}`.", 4)
            return [(keys_name, keys, mentioned), (type_.name, alias, [keys_name])]
        return [(type_.name, _struct(type_, printer), mentioned)]
    if isinstance(type_, Union):
        return [(type_.name, _union(type_, printer), mentioned)]
    if type_.name in printer.lazy:
        return [(type_.name, _lazy(type_, printer.type(type_.type), printer), mentioned)]
    return [(type_.name, _alias(type_, printer, printer.type(type_.type)), mentioned)]


def _alias(type_: TypeDef, printer: Printer, annotation: str) -> dict[str, Any]:
    return {
        "template": "alias",
        "name": type_.name,
        "annotation": annotation,
        "alias": printer.names("TypeAlias"),
        "doc": _doc(type_, 0),
    }


def _union(union: Union, printer: Printer) -> dict[str, Any]:
    # Two tagged arms make the decoder insist on the tag; a single one needs to be told, as outside a union.
    insists = union.plan.kind == "ByTag" or not union.plan.native or len(union.arms) == 1
    plain = " | ".join(printer.type(arm, arm=insists) for arm in union.arms)
    if union.name in printer.lazy and (union.plan.native or not printer.structs):
        if union.plan.exclusive:
            raise CodegenError(f"the oneOf {union.name} mentions itself and cannot be generated", pointer=union.pointer)
        return _lazy(union, plain, printer)
    by_cases = not printer.structs and union.plan.kind == "ByTag" and not _spelled_alike(union, printer)
    if union.plan.kind == "ByTag" and not printer.structs and not by_cases:
        plain = _discriminated(union, printer)
    if union.plan.native and not by_cases:
        return {**_alias(union, printer, plain), "reason": _reason(union)}
    plan_cases = union.plan.cases or tuple(Case(arm, "any") for arm in union.arms)
    cases = [printer.case(case) for case in plan_cases]
    entry = {
        **_alias(union, printer, literal(plain) if union.name in printer.lazy else plain),
        "reason": _reason(union),
        "cases": cases,
        "exclusive": union.plan.exclusive,
    }
    if printer.structs:
        return {**entry, "template": "untagged", "untagged": printer.names("untagged"), "checking": True}
    annotated, mark = printer.names("Annotated"), printer.names("Untagged")
    return {**entry, "template": "decided", "annotated": annotated, "untagged": mark}


def _lazy(type_: TypeDef, annotation: str, printer: Printer) -> dict[str, Any]:
    """A type that mentions itself: the checkers read a text, the run time resolves it on first use."""
    entry = _alias(type_, printer, literal(annotation))
    if printer.structs:
        arms = [printer.type(arm) for arm in type_.arms] if isinstance(type_, Union) else [annotation]
        cases = [f"{printer.names('case')}({literal(arm)}, {literal('any')})" for arm in arms]
        return {
            **entry,
            "template": "untagged",
            "cases": cases,
            "untagged": printer.names("untagged"),
            "checking": True,
            "reason": ["Mentions itself."],
        }
    return {**entry, "template": "recursive", "recursive": printer.names("TypeAliasType"), "checking": True}


def _discriminated(union: Union, printer: Printer) -> str:
    """pydantic's own discriminator around the object arms; the others stand beside it."""
    tags = _tags(union, printer)
    member = next(iter(tags.values())).py
    inner = " | ".join(printer.type(arm) for arm in tags)
    marked = f"{printer.names('Annotated')}[{inner}, {printer.names('Field')}(discriminator={literal(member)})]"
    return " | ".join([marked, *(printer.type(arm) for arm in union.arms if arm not in tags)])


def _spelled_alike(union: Union, printer: Printer) -> bool:
    """Whether pydantic's discriminator can serve: one Python name for the tag in all arms, and texts for values."""
    tags = _tags(union, printer).values()
    return len({field.py for field in tags}) == 1 and all(isinstance(field.default, str) for field in tags)


def _tags(union: Union, printer: Printer) -> dict[TypeExpr, Field]:
    """The arms of a tagged union that carry the tag, each with the member that is the tag."""
    found: dict[TypeExpr, Field] = {}
    for arm in union.arms:
        target = printer.meant(arm.name) if isinstance(arm, Ref) else None
        for field in target.fields if isinstance(target, Struct) else ():
            if field.wire == union.plan.tag:
                found[arm] = field
    return found


def _reason(union: Union) -> list[str]:
    lead = {
        "ByTag": "Decided by tag",
        "ByKey": "Decided by key",
        "ByValue": "Decided by value",
        "Decide": "Decided step by step",
        "ByMethod": "Decided by method",
        "Scalars": "Decided by JSON type",
    }[union.plan.kind]
    return textwrap.wrap(f"{lead}: {union.plan.reason}.".replace("..", "."), 108, break_on_hyphens=False)


def _doc(type_: TypeDef, indent: int) -> str:
    text = type_.doc
    if type_.deprecated:
        note = f"Deprecated since {type_.deprecated}." if type_.deprecated != "deprecated" else "Deprecated."
        text = f"{text}\n\n{note}" if text else note
    return docstring(text, indent) if text else ""


def _struct(struct: Struct, printer: Printer) -> dict[str, Any]:
    names = printer.names
    bag = struct.openness is Openness.KEPT
    fields = [_field(field, struct, printer) for field in struct.fields]
    constants = [field for field in struct.fields if field.presence is Presence.CONSTANT]
    entry: dict[str, Any] = {
        "template": "class",
        "name": struct.name,
        "doc": _doc(struct, 4),
        "deprecated": literal(struct.deprecated) if struct.deprecated else "",
        "class_var": names("ClassVar") if struct.deprecated else "",
        "fields": fields,
        "options": "",
        "config": "",
        "constants": "",
    }
    if printer.structs:
        filled = any(field.wire != struct.tag for field in constants) and not bag
        entry["base"] = names("BagKeys" if bag else "ConstantModel" if filled else "Model")
        options: list[str] = []
        if struct.tag is not None and not bag:
            tag = next(field for field in struct.fields if field.wire == struct.tag)
            options += [f"tag_field={literal(tag.wire)}", f"tag={literal(tag.default)}"]
        if struct.openness is Openness.FORBIDDEN:
            options.append("forbid_unknown_fields=True")
        if any(printer.holds_bag(field.type) for field in struct.fields):
            options.append("holds_bags=True")
        entry["options"] = "".join(f", {option}" for option in options)
        return entry
    entry["base"] = names("Model")
    if struct.openness is not Openness.IGNORED:
        extra = "allow" if bag else "forbid"
        entry["config"] = f"{names('ConfigDict')}(extra={literal(extra)})"
    if bag and not isinstance(struct.others, Anything):
        entry |= {"others": printer.type(struct.others), "checking": True}
    if constants:
        entry["constants"] = strings(field.wire for field in constants)
        entry["class_var"] = names("ClassVar")
    return entry


def _field(field: Field, struct: Struct, printer: Printer) -> dict[str, str]:
    names = printer.names
    annotation = printer.type(field.type)
    unset, marker = ("UNSET", "UnsetType") if printer.structs else ("MISSING", "MISSING")
    default = ""
    tag = printer.structs and field.wire == struct.tag and struct.openness is not Openness.KEPT
    if tag:
        annotation, default = f"{names('ClassVar')}[{annotation}]", literal(field.default)
        return {"name": field.py, "annotation": annotation, "default": default, "doc": _member_doc(field)}
    if field.presence is Presence.OPTIONAL:
        annotation, default = f"{annotation} | {names(marker)}", names(unset)
    elif field.presence in (Presence.DEFAULTED, Presence.CONSTANT):
        default = literal(field.default)
    if printer.structs and field.presence is Presence.CONSTANT:
        if struct.openness is Openness.KEPT:
            default = ""
        else:
            wire = "" if field.wire == field.py else f", name={literal(field.wire)}"
            default = f"{names('constant')}(default={default}{wire})"
            return {"name": field.py, "annotation": annotation, "default": default, "doc": _member_doc(field)}
    if field.wire != field.py:
        default = _renamed(field, default, printer)
    return {"name": field.py, "annotation": annotation, "default": default, "doc": _member_doc(field)}


def _renamed(field: Field, default: str, printer: Printer) -> str:
    given = f"default={default}" if default else ""
    wire = literal(field.wire)
    if printer.structs:
        return f"{printer.names('field')}({', '.join(filter(None, [f'name={wire}', given]))})"
    # One alias would serve, but both checkers then refuse the Python name in a constructor call.
    aliases = [f"validation_alias={wire}", f"serialization_alias={wire}"]
    return f"{printer.names('Field')}({', '.join(filter(None, [given, *aliases]))})"


def _member_doc(field: Field) -> str:
    text = field.doc
    if field.deprecated:
        note = f"Deprecated since {field.deprecated}." if field.deprecated != "deprecated" else "Deprecated."
        text = f"{text} {note}" if text else note
    return docstring(text, 4) if text else ""


def _skeleton(is_class: bool, mentioned: Sequence[str]) -> dict[str, Any]:
    arms = [{"$ref": f"#/$defs/{name}"} for name in mentioned]
    if is_class:
        members = {f"m{number}": arm for number, arm in enumerate(arms)}
        return {"type": "object", "properties": members, "required": list(members)}
    return {"anyOf": [*arms, {"type": "boolean"}, {"type": "string"}]}


def _print(
    skeleton: Mapping[str, Any], entries: Mapping[str, Mapping[str, Any]], opening: str, imports: list[str]
) -> str:
    from datamodel_code_generator import InputFileType, generate
    from datamodel_code_generator.enums import DataModelType
    from datamodel_code_generator.format import PythonVersion
    from datamodel_code_generator.parser import LiteralType

    data: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for name, entry in entries.items():
        data[f"#/$defs/{name}"] = {"entry": dict(entry)}
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": skeleton}
    with warnings.catch_warnings():
        # It warns of unions msgspec could not decide if it were to print them; ours are decided.
        warnings.simplefilter("ignore")
        printed = generate(
            json.dumps(schema),
            input_file_type=InputFileType.JsonSchema,
            output_model_type=DataModelType.MsgspecStruct,
            custom_template_dir=TEMPLATES,
            extra_template_data=data,
            additional_imports=imports,
            skip_root_model=True,
            use_type_alias=True,
            formatters=[],
            target_python_version=PythonVersion.PY_311,
            disable_timestamp=True,
            disable_future_imports=True,
            enum_field_as_literal=LiteralType.All,
            custom_file_header=opening,
        )
    if not isinstance(printed, str):
        raise CodegenError("the class printer did not print one module")
    return printed


def _defined(text: str, entries: Mapping[str, Any]) -> tuple[str, ...]:
    """The types a module defines, in order.

    Raises CodegenError unless these are exactly the ones that were to be printed, each once.
    """
    found: list[str] = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.If):
            node = node.body[0]
        if isinstance(node, ast.ClassDef):
            found.append(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.append(node.target.id)
    if sorted(found) != sorted(entries):
        odd = sorted(set(found) ^ set(entries)) or sorted(name for name in found if found.count(name) > 1)
        raise CodegenError(f"the class printer lost, added or repeated {', '.join(odd)}")
    return tuple(found)


__all__ = ["BackEnd", "Module", "render"]
