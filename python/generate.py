"""Writes holon/_tables.pyi, the types of what the library's tables make: one method for every kind
of element, one keyword for every option.

usage: generate.py FOLDER        FOLDER/holon is the built package
"""

import sys

HEAD = '''\
# Written by generate.py from the library's tables; do not edit.
from typing import Any, Callable, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Union

from numpy.typing import NDArray

from holon._progress import Progress
from holon.analysis import Comparison, Equilibrium, Inverse, Kinematics, Linear, Modes, Tolerances
from holon.model import Check, Element
from holon.result import Result
from holon.sim import Sim

Number = Union[float, str]
Vector = Union[Sequence[Number], NDArray[Any]]
Matrix = Union[Sequence[Sequence[Number]], NDArray[Any]]
Part = Mapping[str, Any]

TABLES: Dict[str, Any]
SCHEMA: Dict[str, Any]

def option_text(name: str, value: Any) -> str: ...
def option_help() -> str: ...
'''

REFS = {
    "number": "Number",
    "formula": "Number",
    "vector": "Vector",
    "row3": "Vector",
    "row6": "Vector",
    "formulas": "Union[Number, Vector]",
    "pairs": "Matrix",
    "matrix6": "Union[Vector, Matrix]",
    "inertia": "Union[Number, Vector, Matrix, Part]",
    "end": "str",
    "orientation": "Part",
    "shape": "Part",
    "frames": "Part",
    "coordinates": "Part",
    "equations": "Part",
}


def annotation(schema):
    """The type of a value a schema allows."""
    if "$ref" in schema:
        return REFS.get(schema["$ref"].rsplit("/", 1)[-1], "Any")
    if "enum" in schema and all(isinstance(w, str) for w in schema["enum"]):
        return "Literal[" + ", ".join(repr(w) for w in schema["enum"]) + "]"
    if "anyOf" in schema:
        parts = []
        for part in schema["anyOf"]:
            if annotation(part) not in parts:
                parts.append(annotation(part))
        if "Any" in parts:
            return "Any"
        return parts[0] if len(parts) == 1 else f"Union[{', '.join(parts)}]"
    kind = schema.get("type")
    if kind == "array":
        below = annotation(schema.get("items", {}))
        if below == "Number":
            return "Vector"
        return "Union[Vector, Matrix]" if "Vector" in below else f"Sequence[{below}]"
    simple = {"string": "str", "number": "Number", "boolean": "bool", "object": "Part"}
    if isinstance(kind, list) and set(kind) <= {"number", "string"}:
        return "Number"
    return simple.get(kind, "Any") if isinstance(kind, str) else "Any"


def quoted(text, indent):
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    return f'{indent}"""' + text.replace("\n", "\n" + indent).rstrip() + '\n' + indent + '"""\n'


def elements(tables):
    out = ["\nclass Elements:\n"]
    for kind in tables.KINDS.values():
        keys = [k for k in kind.keys if k.name != "type" or kind.type is None]
        star = ", *" if keys else ""
        out.append(f"    def {kind.method}(\n        self, name: str{star}")
        for k in keys:
            name = tables._name(k.name)
            out.append(f",\n        {name}: Optional[{annotation(k.schema)}] = ...")
        out.append("\n    ) -> Element:\n")
        out.append(quoted(tables._document(kind), " " * 8))
    return "".join(out)


def option_type(tables, name):
    section = tables.SCHEMA["properties"]["simulation"]["allOf"][0]["properties"]
    schema = section.get(name, {})
    if "enum" in schema:
        words = [w for w in schema["enum"] if isinstance(w, str)]
        on_off = ", bool" if set(words) == {"on", "off"} else ""
        text = "Literal[" + ", ".join(repr(w) for w in words) + "]"
        return f"Union[{text}{on_off}]" if on_off else text
    return "Number"


def options(tables):
    out = ["\nclass OptionValues:\n    _values: Dict[str, str]\n"]
    for name, (unit, fallback, help) in tables.OPTIONS.items():
        out.append(f"    {name}: Optional[{option_type(tables, name)}]\n")
        out.append(quoted(f"{help}{f' [{unit}]' if unit else ''}", " " * 4))
    return "".join(out)


RUNS = [
    ("run", ["progress: Progress = ...", "report: bool = ..."], "Result"),
    ("sim", [], "Sim"),
    ("check", [], "Check"),
    ("code", [], "str"),
    ("statics", ["nearest: bool = ..."], "Equilibrium"),
    ("kinematics", [], "Kinematics"),
    ("tolerances", ["at: Union[str, float] = ..."], "Tolerances"),
    ("inverse", [], "Inverse"),
    ("linearise", ["at: Union[str, float] = ...", "frozen: bool = ...", "side: Optional[int] = ..."],
     "Linear"),
    ("modes", ["at: Union[str, float] = ...", "frozen: bool = ...", "side: Optional[int] = ..."],
     "Modes"),
    ("compare", ["*methods: str"], "Comparison"),
]


def runs(tables):
    out = ["\nclass Runs:\n"]
    for name, own, answer in RUNS:
        star = [] if any(o.startswith("*") for o in own) else ["*"]
        words = [f"{o}: Optional[{option_type(tables, o)}] = ..." for o in tables.OPTIONS]
        arguments = ",\n        ".join(["self"] + own + star + words)
        out.append(f"    def {name}(\n        {arguments},\n    ) -> {answer}:\n")
        out.append(quoted(getattr(tables.Runs, name).__doc__.replace("\n        ", "\n"), " " * 8))
    return "".join(out)


def main():
    sys.path.insert(0, sys.argv[1])
    from holon import _tables

    missing = {n for n in vars(_tables.Runs) if not n.startswith("_")} ^ {r[0] for r in RUNS}
    if missing:
        sys.exit(f"generate.py: RUNS and class Runs differ: {missing}")
    text = HEAD + elements(_tables) + options(_tables) + runs(_tables)
    path = f"{sys.argv[1]}/holon/_tables.pyi"
    try:
        with open(path, encoding="utf-8") as old:
            if old.read() == text:
                return
    except OSError:
        pass
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


if __name__ == "__main__":
    main()
