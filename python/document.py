"""Writes docs/python-api.md from the docstrings of the built package.

usage: document.py FOLDER [--check]       FOLDER/holon is the package

What the library's tables make (a method for every joint, force and option) is not listed: the model
format is their reference.
"""

import inspect
import sys
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "docs/python-api.md"


def signature(name, thing):
    try:
        parameters = list(inspect.signature(thing).parameters.values())
    except (TypeError, ValueError):
        return f"{name}()"
    from holon._tables import OPTIONS

    words = []
    for p in parameters:
        if p.name in ("self", "cls") or (p.kind is p.KEYWORD_ONLY and p.name in OPTIONS):
            continue
        word = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "") + p.name
        words.append(word if p.default is p.empty else f"{word}={p.default!r}")
    if any(p.kind is p.KEYWORD_ONLY and p.name in OPTIONS for p in parameters):
        words.append("**options")
    return f"{name}({', '.join(words)})"


def first(text):
    return inspect.cleandoc(text or "").split("\n\n")[0].replace("\n", " ")


def members(kind):
    from holon._tables import KINDS

    for name in dir(kind):
        if name.startswith("_") or name in KINDS:
            continue
        for base in kind.__mro__:
            if name in vars(base):
                break
        if not base.__module__.startswith("holon"):
            continue
        thing = vars(base)[name]
        if isinstance(thing, (classmethod, staticmethod)):
            thing = thing.__func__
        if isinstance(thing, property) or inspect.isgetsetdescriptor(thing):
            yield f"`{name}`", first(thing.__doc__)
        elif inspect.isfunction(thing):
            yield f"`{signature(name, thing)}`", first(thing.__doc__)
        elif inspect.ismethoddescriptor(thing):
            yield f"`{name}()`", first(thing.__doc__)


def describe(name, kind):
    text = inspect.cleandoc(kind.__doc__ or "").split("\n\nmethod:")[0]
    lines = [f"## {name}", "", "\n".join("    " + l[4:] if l.startswith("    ") else l
                                          for l in text.splitlines()), ""]
    fields = getattr(kind, "_fields", None) or getattr(kind, "__dataclass_fields__", None)
    if fields:
        lines += ["Fields: " + ", ".join(f"`{f}`" for f in fields) + ".", ""]
    rows = [f"| {what} | {help} |" for what, help in members(kind) if what.strip("`") not in (fields or ())]
    if rows:
        lines += ["| | |", "|---|---|"] + rows + [""]
    return lines


def text(holon):
    lines = ["# Python: all of it", "",
             "Written by `python/document.py` from the docstrings. [python.md](python.md) is the way in.",
             "Methods that add elements (`body`, `revolute`, `spring` ...) and the options are those of the",
             "[model file](format.md); `**options` stands for them.", ""]
    classes, functions, errors = [], [], []
    for name in holon.__all__:
        thing = getattr(holon, name)
        if isinstance(thing, type):
            (errors if issubclass(thing, Exception) else classes).append((name, thing))
        elif callable(thing):
            functions.append((name, thing))
    lines += ["## Functions", "", "| | |", "|---|---|"]
    lines += [f"| `holon.{signature(n, f)}` | {first(f.__doc__)} |" for n, f in functions]
    lines += ["", "## Errors", "", "| | |", "|---|---|"]
    lines += [f"| `{n}` | {first(e.__doc__)} |" for n, e in errors] + [""]
    order = ["Model", "Options", "Element", "Result", "Sim"]
    rest = sorted(n for n, _ in classes if n not in order)
    for name in order + rest:
        lines += describe(name, dict(classes)[name])
    return "\n".join(lines).rstrip() + "\n"


def main():
    sys.path.insert(0, sys.argv[1])
    import holon

    new = text(holon)
    if "--check" not in sys.argv:
        OUT.write_text(new, encoding="utf-8")
    elif not OUT.exists() or OUT.read_text(encoding="utf-8") != new:
        sys.exit("docs/python-api.md is not current: python3 python/document.py build/python")


if __name__ == "__main__":
    main()
