#!/usr/bin/python3
"""The documentation as a site: docs/ with a search, the models, and the C headers as pages.

usage: docs.py FOLDER        writes FOLDER/source (what MkDocs is given) and FOLDER/site

Needs MkDocs, and for formulas KaTeX and Node (Debian: mkdocs-material, libjs-katex, nodejs); the environment
variable KATEX names the folder of KaTeX elsewhere. Nothing is fetched: the site works without network.
"""

import json
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# ---- the C interface --------------------------------------------------------------------------

HEADERS = ["holon", "core", "model", "system", "sim", "result", "analysis", "report", "extend"]


def paragraphs(lines):
    """Comment lines as text: paragraphs and lists as they are written."""
    text = "\n".join(re.sub(r"^// ?", "", line) for line in lines)
    # what would be read as Markdown is meant as it stands
    return re.sub(r"([*_<>])", r"\\\1", text)


def blocks(text):
    """Comments at the margin, and what is declared below them up to the next empty line."""
    comment, code, list_of = [], [], []

    def end():
        if comment or code:
            list_of.append((list(comment), list(code)))
        comment.clear()
        code.clear()

    for line in text.splitlines():
        if line.startswith("//"):
            if code:
                end()
            comment.append(line)
        elif not line.strip():
            # inside of a struct or enum an empty line ends nothing
            if "".join(code).count("{") == "".join(code).count("}"):
                end()
            else:
                code.append(line)
        else:
            code.append(line)
    end()
    return list_of


def header_page(name, text):
    """One header as Markdown: comments as text, declarations as code."""
    out = [f"# holon/{name}.h", ""]
    hidden = re.compile(r"^\s*(#|extern \"C\"|\}$)")
    for comment, code in blocks(text):
        title = re.match(r"^// ---- (.*?) -*$", comment[0]) if comment else None
        if title:
            out += [f"## {title.group(1)}", ""]
            comment = comment[1:]
        if comment:
            out += [paragraphs(comment), ""]
        shown = [line for line in code if not hidden.match(line)]
        while shown and not shown[-1].strip():
            shown.pop()
        if shown:
            out += ["```c", *[line.replace("HN_API ", "") for line in shown], "```", ""]
    return "\n".join(out)


def write_headers(folder):
    """A page for each header, and the list of them; their names."""
    os.makedirs(folder)
    names = [n[:-2] for n in os.listdir(os.path.join(ROOT, "include/holon")) if n.endswith(".h")]
    names.sort(key=lambda n: (HEADERS.index(n) if n in HEADERS else len(HEADERS), n))
    lines = ["# The C headers", "", "What programs include is `holon.h`, which includes the others;",
             "[the C interface](../c-interface.md) tells how they are used.", ""]
    for name in names:
        with open(os.path.join(ROOT, "include/holon", name + ".h"), encoding="utf-8") as file:
            text = file.read()
        first = re.match(r"// [a-z_]+\.h: (.*)", text)
        lines.append(f"* [{name}.h]({name}.md): {first.group(1) if first else ''}")
        with open(os.path.join(folder, name + ".md"), "w", encoding="utf-8") as file:
            file.write(header_page(name, text))
    with open(os.path.join(folder, "README.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return names


# ---- formulas ---------------------------------------------------------------------------------
#
# Blocks ```math and $`...`$ in a line, LaTeX both, which GitHub shows typeset as well. KaTeX makes them into
# HTML here, not in the browser. MkDocs sees only where they belong: neither its Markdown nor its search reads them.

KATEX = os.environ.get("KATEX", "/usr/share/javascript/katex")
# code is listed before formulas in a line, so that none is found inside of it
MARKED = re.compile(r"^```math\n(?P<block>.*?)^```$|^```.*?^```$|\$`(?P<line>[^`]+)`\$|`[^`\n]+`",
                    re.MULTILINE | re.DOTALL)


def without_formulas(text, path, formulas):
    """The text of a page with a mark in place of each formula; `formulas` collects what they stand for."""

    def mark(match):
        kind = match.lastgroup
        if not kind:
            return match.group(0)
        line = text.count("\n", 0, match.start(kind)) + 1
        formulas.append({"text": match.group(kind), "display": kind == "block", "path": path, "line": line})
        return f'<{"div" if kind == "block" else "span"} data-formula="{len(formulas) - 1}">' + (
            "</div>" if kind == "block" else "</span>")

    return MARKED.sub(mark, text)


def typeset(formulas):
    """KaTeX's HTML of every formula; a mistake in one of them ends the program, with its file and line."""
    script = os.path.join(KATEX, "katex.js")
    if not os.path.isfile(script) or not shutil.which("node"):
        sys.exit("docs: formulas need KaTeX and Node, which were not found (Debian: scripts/setup.sh docs)")
    answer = subprocess.run(["node", os.path.join(ROOT, "scripts/formulas.mjs"), script], check=False,
                            input=json.dumps(formulas), capture_output=True, encoding="utf-8")
    if answer.returncode:
        sys.exit(f"docs: formulas.mjs failed\n{answer.stderr}")
    answers = json.loads(answer.stdout)
    wrong = [f'{f["path"]}:{f["line"] + f["text"].count(chr(10), 0, a["at"])}: {a["error"]}'
             for f, a in zip(formulas, answers) if "error" in a]
    if wrong:
        sys.exit("\n".join(wrong) + f"\ndocs: formulas that are wrong: {len(wrong)}")
    return [a["html"] for a in answers]


def write_katex(source):
    """The style sheet of formulas and its fonts, of which every browser takes the kind that is copied."""
    folder = os.path.join(source, "katex")
    with open(os.path.join(KATEX, "katex.min.css"), encoding="utf-8") as file:
        style = re.sub(r",url\([^)]*\.(?:woff|ttf)\) format\('\w+'\)", "", file.read())
    for font in set(re.findall(r"url\((.*?)\)", style)):
        os.makedirs(os.path.dirname(os.path.join(folder, font)), exist_ok=True)
        shutil.copy(os.path.join(KATEX, font), os.path.join(folder, font))
    with open(os.path.join(folder, "katex.min.css"), "w", encoding="utf-8") as file:
        file.write(style)


def put_in(site, html):
    """Every mark of the finished pages becomes the formula that stands for it."""
    done = []

    def formula(match):
        done.append(int(match.group(3)))
        return f'<{match.group(1)} class="formula"{match.group(2)}>{html[done[-1]]}'

    for page in pages_of(site):
        with open(page, encoding="utf-8") as file:
            text = file.read()
        changed = re.sub(r'<(div|span)( data-formula="(\d+)")>', formula, text)
        if changed != text:
            with open(page, "w", encoding="utf-8") as file:
                file.write(changed)
    if sorted(done) != list(range(len(html))):
        sys.exit(f"docs: {len(html)} formulas are written, and {len(done)} came into the pages")


# ---- the pages --------------------------------------------------------------------------------

def listing(folder):
    """A page in place of a folder: its files, which are copied beside it."""
    names = sorted(n for n in os.listdir(os.path.join(ROOT, folder))
                   if n.endswith((".c", ".h", ".py", ".yaml", ".sh", ".txt", ".ipynb")))
    return names, f"# {folder}\n\n" + "\n".join(f"* [{n}]({n})" for n in names) + "\n"


def rewritten(text, depth, wanted):
    """Links that leave docs/ lead to copies below it; `wanted` collects what has to be there."""
    up = "../" * (depth + 1)

    def link(match):
        target = match.group(1)
        if not target.startswith(up):
            return match.group(0)
        path, _, place = target[len(up):].partition("#")
        if os.path.isdir(os.path.join(ROOT, path)):
            path = os.path.join(path, "README.md")
        wanted.add(path)
        return "](" + up[3:] + "beside/" + path + ("#" + place if place else "") + ")"

    return re.sub(r"\]\(([^)\s]+)\)", link, text)


def copy_beside(source, path, wanted, formulas):
    """One file that a page points to; a folder without a page gets one."""
    target = os.path.join(source, "beside", path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    original = os.path.join(ROOT, path)
    if os.path.basename(path) == "README.md" and not os.path.isfile(original):
        names, text = listing(os.path.dirname(path))
        wanted.update(os.path.join(os.path.dirname(path), n) for n in names)
    else:
        with open(original, encoding="utf-8") as file:
            text = file.read()
        if path.endswith(".md"):
            # only its text is wanted: its links lead to other places of the repository
            text = without_formulas(text, path, formulas)
            text = re.sub(r"\]\((?!https?:|#)[^)]*\)", "](#)", text)
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)


def titled(text):
    """A title with code in it, said without: it stands in the bar of the page, too."""
    title = re.match(r"# (.*`.*)\n", text)
    return f"---\ntitle: {json.dumps(title.group(1).replace('`', ''), ensure_ascii=False)}\n---\n{text}" if title else text


def copy_pages(source, formulas):
    """docs/ with README.md as index.md, and what it points to."""
    wanted = set()
    for folder, _, files in os.walk(os.path.join(ROOT, "docs")):
        below = os.path.relpath(folder, os.path.join(ROOT, "docs"))
        depth = 0 if below == "." else below.count("/") + 1
        os.makedirs(os.path.join(source, below), exist_ok=True)
        for name in files:
            path = os.path.join(folder, name)
            target = os.path.normpath(os.path.join(source, below, name))
            if not name.endswith(".md"):
                if name != "mkdocs.yml":
                    shutil.copy(path, target)
                continue
            with open(path, encoding="utf-8") as file:
                text = without_formulas(file.read(), os.path.relpath(path, ROOT), formulas)
            text = titled(rewritten(text, depth, wanted))
            with open(target, "w", encoding="utf-8") as file:
                file.write(text)
    done = set()
    while wanted - done:
        path = min(wanted - done)
        copy_beside(source, path, wanted, formulas)
        done.add(path)


# ---- the gallery, live --------------------------------------------------------------------------

def write_live(source):
    """One page that computes every model of the gallery, and a link to it beside each of them."""
    program = os.environ.get("HOLON", os.path.join(ROOT, "build/holon"))
    page, first = os.path.join(source, "live.html"), os.path.join(ROOT, "models/four_bar.yaml")
    if not os.path.isfile(program) or subprocess.run(
            [program, "view", "--live", first, "--html", page], check=False, capture_output=True).returncode:
        print("docs: the gallery is not live: there is no build/holon, or it has no pages that compute")
        return
    texts = {}
    for name in sorted(os.listdir(os.path.join(ROOT, "models"))):
        with open(os.path.join(ROOT, "models", name), encoding="utf-8") as file:
            texts[name.removesuffix(".yaml")] = file.read()
    models = json.dumps(texts, ensure_ascii=False).replace("<", "\\u003c")
    library = '<script type="text/plain" id="holon-library">'
    with open(page, encoding="utf-8") as file:
        text = file.read()
    if library not in text:
        sys.exit("docs: the page that computes has no library")
    with open(page, "w", encoding="utf-8") as file:
        file.write(text.replace(
            library, f'<script type="application/json" id="holon-models">{models}</script>\n{library}', 1))
    gallery = os.path.join(source, "gallery.md")
    with open(gallery, encoding="utf-8") as file:
        text = file.read()
    text = text.replace("This page and its pictures",
                        "Click a picture to [run and change it here](live.html). This page and its pictures")
    text = re.sub(r"(!\[[^]]*\]\(images/gallery/(\w+)\.webp\))", r"[\1](live.html#still&model=\2)", text)
    with open(gallery, "w", encoding="utf-8") as file:
        file.write(text)


# ---- the search, from disk ----------------------------------------------------------------------

def search_from_disk(site):
    """Browsers fetch nothing from disk and start no worker there: a script has both."""
    workers = os.path.join(site, "assets/javascripts/workers")
    names = [n for n in os.listdir(workers) if re.fullmatch(r"search\.\w+\.min\.js", n)]
    if len(names) != 1:
        sys.exit("docs: the theme has no worker for its search, or several")
    with open(os.path.join(workers, names[0]), encoding="utf-8") as file:
        worker = re.sub(r"\n//# sourceMappingURL=.*", "", file.read())
    with open(os.path.join(site, "search/search_index.json"), encoding="utf-8") as file:
        index = json.load(file)
    with open(os.path.join(site, "search/disk.js"), "w", encoding="utf-8") as file:
        file.write("var __search = {worker: URL.createObjectURL(new Blob([" + json.dumps(worker)
                   + '], {type: "text/javascript"})), index: Promise.resolve('
                   + json.dumps(index, ensure_ascii=False) + ")};\n")
    bundle = re.compile(r'<script src="((?:[^"]*/)?)assets/javascripts/bundle\.')
    for page in pages_of(site):
        with open(page, encoding="utf-8") as file:
            text = file.read()
        before = ('<script>if (location.protocol === "file:") document.write(\'<script src="\\1search/disk.js">'
                  "<\\\\/script>')</script>")
        changed = bundle.sub(before + r"\g<0>", text, count=1)
        if changed != text:
            with open(page, "w", encoding="utf-8") as file:
                file.write(changed)


# ---- links of the finished site ---------------------------------------------------------------

def pages_of(site):
    for folder, _, files in os.walk(site):
        for name in files:
            if name.endswith(".html"):
                yield os.path.join(folder, name)


def check_links(site):
    """Every link and picture of the site leads to a file, and to a place in it where one is named."""
    places, wrong, count = {}, [], 0
    for page in pages_of(site):
        if os.path.basename(page) == "live.html":
            continue  # what comes behind its # is no place but a state
        with open(page, encoding="utf-8") as file:
            text = file.read()
        places[page] = (set(re.findall(r'\sid="([^"]+)"', text)),
                        re.findall(r'\s(?:href|src)="([^"]*)"', text))
    for page, (_, links) in places.items():
        if os.path.basename(page) == "404.html":
            continue
        for link in links:
            if re.match(r"(https?:|mailto:|data:|javascript:)", link) or not link:
                continue
            path, _, place = link.partition("#")
            path = path.split("?")[0]
            target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if os.path.isdir(target):
                target = os.path.join(target, "index.html")
            count += 1
            if not os.path.isfile(target):
                wrong.append(f"{os.path.relpath(page, site)} points to {link}, which is not there")
            elif place and target in places and place not in places[target][0]:
                wrong.append(f"{os.path.relpath(page, site)} points to {link}: no such place")
    return count, wrong


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    folder = os.path.abspath(sys.argv[1])
    source, site = os.path.join(folder, "source"), os.path.join(folder, "site")
    for old in (source, site):
        shutil.rmtree(old, ignore_errors=True)
    formulas = []
    copy_pages(source, formulas)
    html = typeset(formulas)
    write_katex(source)
    write_headers(os.path.join(source, "headers"))
    write_live(source)
    config = os.path.join(folder, "mkdocs.yml")
    shutil.copy(os.path.join(ROOT, "docs/mkdocs.yml"), config)
    if not shutil.which("mkdocs"):
        sys.exit("docs: MkDocs was not found (Debian: scripts/setup.sh docs)")
    answer = subprocess.run(["mkdocs", "build", "-q", "-f", config, "-d", site], check=False)
    if answer.returncode:
        sys.exit("docs: mkdocs failed")
    put_in(site, html)
    search_from_disk(site)
    count, wrong = check_links(site)
    print("\n".join(sorted(set(wrong))))
    print(f"docs: {len(list(pages_of(site)))} pages, {len(html)} formulas, {count} links, {len(set(wrong))} wrong: {site}/index.html")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
