"""What exists, by the library's own tables, as methods.

Every type of joint and force, and every other kind of element a model file may have, becomes a
method of `Elements`; every option an attribute of `OptionValues` and a keyword of the methods of
`Runs`. Nothing here is written by hand twice: a new type in the library is a new method here. Type
checkers see the same in `_tables.pyi`, which is written when the package is built (generate.py).
"""

from __future__ import annotations

import difflib
import inspect
import json
import keyword
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from holon import _holon

TABLES: Dict[str, Any] = _holon.tables()
SCHEMA: Dict[str, Any] = json.loads(_holon.schema())
OPTIONS: Dict[str, Tuple[str, str, str]] = {
    name: (unit, fallback, help) for name, unit, fallback, help in TABLES["options"]
}


class Key(NamedTuple):
    """A key of an element: what it is called, what may stand there, what it means."""

    name: str
    schema: Dict[str, Any]
    help: str
    required: bool


class Kind(NamedTuple):
    """A kind of element: the method that adds it, where it goes in a file, its keys."""

    method: str
    section: str
    type: Optional[str]  # value of the key `type`; None where there is none to choose
    help: str
    keys: Tuple[Key, ...]


def _resolve(schema: Dict[str, Any]) -> Dict[str, Any]:
    ref = schema.get("$ref")
    if isinstance(ref, str):
        found: Dict[str, Any] = SCHEMA["$defs"][ref.rsplit("/", 1)[-1]]
        return found
    return schema


def _keys(schema: Dict[str, Any]) -> Tuple[Key, ...]:
    required = schema.get("required", [])
    return tuple(
        Key(name, value, value.get("description", ""), name in required)
        for name, value in schema.get("properties", {}).items()
        if isinstance(value, dict)
    )


def _typed(schema: Dict[str, Any]) -> Dict[str, Tuple[str, Dict[str, Any]]]:
    """type -> (help, schema of the other keys), for elements that have types with own keys."""
    types = {}
    words = schema.get("properties", {}).get("type", {})
    helps = {w["const"]: w.get("description", "") for w in words.get("oneOf", [])}
    for rule in schema.get("allOf", []):
        word = rule.get("if", {}).get("properties", {}).get("type", {}).get("const")
        if word is not None:
            types[word] = (helps.get(word, ""), rule.get("then", {}))
    return types


def _sections() -> Iterator[Tuple[str, str, Dict[str, Any]]]:
    """(section, word, schema of an element) of all sections that hold elements by name."""
    for section, about in SCHEMA["properties"].items():
        for part in about.get("allOf", []):
            below = part.get("additionalProperties")
            if isinstance(below, dict) and "$ref" in below:
                word = below["$ref"].rsplit("/", 1)[-1]
                schema = _resolve(below)
                if schema.get("properties") or schema.get("allOf"):
                    yield section, word, schema


def _name(word: str) -> str:
    name = word.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def _kinds() -> Dict[str, Kind]:
    kinds: Dict[str, Kind] = {}
    for section, word, schema in _sections():
        types = _typed(schema)
        for type, (help, keys) in types.items():
            method = _name(type)
            if method in kinds:
                method = f"{_name(word)}_{method}"
            kinds[method] = Kind(method, section, type, help, _keys(keys))
        if not types:
            help = SCHEMA["properties"][section].get("description", "")
            kinds[_name(word)] = Kind(_name(word), section, None, help, _keys(schema))
    return kinds


KINDS: Dict[str, Kind] = _kinds()


# ---- elements ------------------------------------------------------------------------------


def _document(kind: Kind) -> str:
    lines = [f"{kind.help[:1].upper()}{kind.help[1:]}." if kind.help else "An element.", ""]
    lines += [
        f"{_name(k.name)}: {k.help}{' (required)' if k.required else ''}"
        for k in kind.keys
        if k.name != "type" or kind.type is None
    ]
    return "\n".join(lines)


def check_keys(kind: Kind, given: Dict[str, Any]) -> Dict[str, Any]:
    """The keys as a file has them; TypeError for one the kind does not have."""
    known = {_name(k.name): k.name for k in kind.keys}
    if kind.type is not None:
        known.pop("type", None)
    keys = {}
    for name, value in given.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean '{near[0]}'?" if near else f"it has: {', '.join(known)}"
            raise TypeError(f"{kind.method}() has no key '{name}' ({hint})")
        if value is not None:
            keys[known[name]] = value
    return keys


def _method(kind: Kind) -> Callable[..., Any]:
    def method(self: Any, name: str, **keys: Any) -> Any:
        element = check_keys(kind, keys)
        if kind.type is not None:
            element = {"type": kind.type, **element}
        return self.add(kind.section, name, element)

    empty = inspect.Parameter.empty
    names = [_name(k.name) for k in kind.keys if k.name != "type" or kind.type is None]
    method.__name__ = kind.method
    method.__qualname__ = f"Model.{kind.method}"
    method.__doc__ = _document(kind)
    method.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            inspect.Parameter("name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=empty),
        ]
        + [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=None) for n in names]
    )
    return method


class Elements:
    """The methods that add elements, one for every kind the library knows."""


for _kind in KINDS.values():
    setattr(Elements, _kind.method, _method(_kind))


# ---- options -------------------------------------------------------------------------------


def option_text(name: str, value: Any) -> str:
    """An option's value as text; raises for what the library would refuse."""
    if name not in OPTIONS:
        near = difflib.get_close_matches(name, OPTIONS, 1)
        hint = f" (did you mean '{near[0]}'?)" if near else ""
        raise TypeError(f"no option '{name}'{hint}")
    if isinstance(value, bool):
        text = "on" if value else "off"
    elif isinstance(value, str):
        text = value
    else:
        try:
            text = repr(float(value))
        except (TypeError, ValueError):
            raise TypeError(f"option '{name}' cannot be {type(value).__name__}") from None
    _holon.option(name, text)
    return text


class OptionValues:
    """Options of a model's runs as attributes; None: what the model file says, or the default."""

    _values: Dict[str, str]

    def __init__(self) -> None:
        object.__setattr__(self, "_values", {})

    def __setattr__(self, name: str, value: Any) -> None:
        if value is None and name in OPTIONS:
            self._values.pop(name, None)
        else:
            self._values[name] = option_text(name, value)

    def __getattr__(self, name: str) -> Optional[str]:
        if name in OPTIONS:
            return self._values.get(name)
        raise AttributeError(f"no option '{name}'")

    def __dir__(self) -> List[str]:
        return sorted(OPTIONS)

    def __repr__(self) -> str:
        given = ", ".join(f"{k}={v}" for k, v in self._values.items())
        return f"Options({given})"


def option_help() -> str:
    """One line for every option."""
    return "\n".join(
        f"{name}: {help}{f' [{unit}]' if unit else ''}; default {fallback or 'none'}"
        for name, (unit, fallback, help) in OPTIONS.items()
    )


class Runs:
    """Methods that take options by name; the model does the work."""

    def run(self: Any, progress: Any = None, report: bool = False, **options: Any) -> Any:
        """Runs the model and records: a Result.

        progress: True or False for a bar, or a function of the time reached and the duration;
        None: a bar where somebody looks, if it takes more than half a second.
        report: record the poses of all bodies, as the report page needs them, also where the model
        restricts its outputs.

        Ctrl-C stops the run and keeps what was computed (`Result.interrupted`). A run that fails
        raises `RunError`, whose `result` has everything up to there.
        """
        return self._run(progress, report, options)

    def sim(self: Any, **options: Any) -> Any:
        """A run to be stepped: a Sim."""
        return self._sim(options)

    def check(self: Any, **options: Any) -> Any:
        """Degrees of freedom, redundant rows, and what assembly changed: a Check."""
        return self._check(options)

    def code(self: Any, **options: Any) -> Any:
        """The equations of motion as C source that needs nothing but libm."""
        return self._code(options)

    def statics(self: Any, nearest: bool = False, **options: Any) -> Any:
        """An equilibrium: where friction would bring the model to rest, or the nearest of any kind."""
        return self._statics(nearest, options)

    def kinematics(self: Any, **options: Any) -> Any:
        """Positions, velocities, accelerations and reactions of a model that is driven."""
        return self._kinematics(options)

    def tolerances(self: Any, at: Any = "initial", **options: Any) -> Any:
        """How far everything is moved by joints that are out of place: Tolerances.

        at: "initial", "equilibrium", or a time [s] to which the model is run first.
        """
        return self._tolerances(at, options)

    def inverse(self: Any, **options: Any) -> Any:
        """What drivers must do for the motion they prescribe."""
        return self._inverse(options)

    def linearise(
        self: Any, at: Any = "equilibrium", frozen: bool = False, side: Any = None, **options: Any
    ) -> Any:
        """Linearisation on the constraints: a Linear.

        at: "equilibrium", "initial", or a time [s] to which the model is run first.
        frozen: take a state that is no steady motion as it is in that instant.
        side: at a kink, where a force switches, from which side.
        """
        return self._linearise(at, frozen, side, options)

    def modes(
        self: Any, at: Any = "equilibrium", frozen: bool = False, side: Any = None, **options: Any
    ) -> Any:
        """Natural frequencies, damping and mode shapes: Modes. Arguments as for `linearise`."""
        return self._modes(at, frozen, side, options)

    def compare(self: Any, *methods: str, **options: Any) -> Any:
        """Runs the model by several methods: a Comparison.

        The reference is the method `default` with rtol 1e-11.
        """
        return self._compare(methods, options)


def _show_options(function: Callable[..., Any]) -> None:
    """The signature names all options, for help and completion."""
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in OPTIONS
    ]
    function.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=own + options
    )


for _runner in list(vars(Runs).values()):
    if inspect.isfunction(_runner):
        _show_options(_runner)
