"""The declarations of our headers, from Clang's syntax tree: one dictionary per platform."""
import bisect
import json
import re
import subprocess
import tempfile
from collections import namedtuple

# owner: of members, "" otherwise. returns, parameters: as Clang spells them. words: the declaration as it is written.
Declared = namedtuple("Declared", "kind framework owner name returns parameters words attributes extra")

NOISE = re.compile(r"\b(__strong|__autoreleasing|__unsafe_unretained|__weak|__kindof|const|struct|enum|volatile)\b")
AVAILABILITY = re.compile(r"availability\((macos|ios|xros|visionos),([^()]*)\)")


def closing(text, start):
    depth = 0
    for index in range(start, len(text)):
        depth += (text[index] in "([{") - (text[index] in ")]}")
        if depth == 0:
            return index
    return len(text)


def tree(sdk, target, frameworks):
    """All frameworks of one platform, without macros (the tree keeps those), and their syntax tree."""
    source = "".join(f"#import <{name}/{name}.h>\n" for name in frameworks)
    clang = ["clang", "-fblocks", "-target", target, "-isysroot", str(sdk)]
    text = subprocess.run([*clang, "-E", "-x", "objective-c", "-"], input=source, capture_output=True, text=True)
    with tempfile.NamedTemporaryFile("w", suffix=".mi") as file:
        file.write(text.stdout)
        file.flush()
        said = subprocess.run(
            [*clang, "-fsyntax-only", "-x", "objective-c-cpp-output", "-Xclang", "-ast-dump=json", file.name],
            capture_output=True, text=True)
    if text.returncode or said.returncode:
        raise SystemExit(f"facts: the headers do not compile for {target}:\n{text.stderr[:3000]}{said.stderr[:3000]}")
    return text.stdout, json.loads(said.stdout)


class Reader:
    """Walks the tree, and determines from which framework's header each declaration is."""

    def __init__(self, text):
        self.text, self.found = text, []
        marks = [(m.end(), m[1]) for m in re.finditer(r'^# \d+ "([^"]*)".*$', text, flags=re.M)]
        self.places, self.files = [place for place, _ in marks], [file for _, file in marks]

    def file(self, offset):
        place = bisect.bisect_right(self.places, offset)
        return self.files[place - 1] if place else ""

    def read(self, node, owner=None):
        if "kind" not in node:
            return
        node["begin"] = node.get("range", {}).get("begin", {}).get("offset")
        match = re.search(r"/([^/]+)\.framework/Headers/", self.file(node["begin"])) if node["begin"] is not None else None
        if match and node.get("name") is not None:
            self.found.append((node, match[1], owner))
        if node["kind"] in ("ObjCInterfaceDecl", "ObjCProtocolDecl", "ObjCCategoryDecl", "EnumDecl", "RecordDecl"):
            inside = node["interface"]["name"] if node["kind"] == "ObjCCategoryDecl" else node.get("name", "")
            owner = (node["kind"], inside, node)
        for child in node.get("inner", []):
            self.read(child, owner)


def plain(spelled):
    return re.sub(r"\s+", " ", NOISE.sub("", spelled)).strip()


def constant(node):
    """The explicit value of an enumeration's case."""
    for child in node.get("inner", []):
        if child.get("kind") == "ConstantExpr" and "value" in child:
            return int(child["value"])
        value = constant(child)
        if value is not None:
            return value
    return None


def words_of(text, node):
    """The declaration as written, with its attributes."""
    start = node["begin"]
    if start is None:
        return ""
    if node["kind"] in ("ObjCInterfaceDecl", "ObjCProtocolDecl", "ObjCCategoryDecl"):
        # Its attributes precede it, on lines of their own.
        place = re.compile("@(interface|protocol)").search(text, start).start()
        if ";" in text[start:place] or text[place:text.find("\n", place)].rstrip().endswith(";"):
            return ""  # a name alone
        lines = text[:place].split("\n")[:-1][-12:]
        taken = []
        while lines and re.match(r"__attribute__|\s*$|# \d", lines[-1]):
            taken.insert(0, lines.pop())
        return "\n".join([*(line for line in taken if line.startswith("__attribute__")), text[place:text.find("\n", place)]])
    if node["kind"] == "EnumDecl":
        brace = text.find("{", start)
        return text[start:text.find(";", closing(text, brace))]
    if node["kind"] == "EnumConstantDecl":
        end = min(x for x in (text.find(",\n", start), text.find("\n}", start)) if x > 0)
        return text[start:end]
    return text[start:text.find(";", start)]


def availability(words):
    """The availability on macOS, iOS and visionOS: system → (introduced, deprecated); None if unavailable."""
    result = {}
    for system, said in AVAILABILITY.findall(words):
        system = {"xros": "visionos"}.get(system, system)
        if "unavailable" in said:
            result[system] = None
        else:
            numbers = re.findall(r"(introduced|deprecated)=([\d._]+)", said)
            version = {word: tuple(map(int, number.replace("_", ".").split("."))) for word, number in numbers}
            result[system] = (version.get("introduced", (0, 0)), version.get("deprecated"))
    return result


def declared(sdk, target, frameworks):
    text, root = tree(sdk, target, frameworks)
    reader = Reader(text)
    reader.read(root)
    rows, following, seen = [], {}, set()
    for node, framework, owner in reader.found:
        kind, name = node["kind"], node["name"]
        words = words_of(text, node) if kind.endswith("Decl") else ""
        attributes = {child["kind"] for child in node.get("inner", []) if child.get("kind", "").endswith("Attr")}
        inside = owner[1] if owner else ""
        row = None
        if kind == "ObjCInterfaceDecl" and "@interface" in words:
            extra = dict(above=node.get("super", {}).get("name"), conforms=[p["name"] for p in node.get("protocols", [])])
            row = Declared("class", framework, "", name, "", (), words, attributes, extra)
        elif kind == "ObjCCategoryDecl":
            row = Declared("category", framework, node["interface"]["name"], name, "", (), words, attributes,
                           dict(conforms=[p["name"] for p in node.get("protocols", [])]))
        elif kind == "ObjCProtocolDecl" and "@protocol" in words:
            row = Declared("protocol", framework, "", name, "", (), words, attributes,
                           dict(conforms=[p["name"] for p in node.get("protocols", [])]))
        elif kind == "ObjCMethodDecl" and owner:
            before = text[owner[2]["begin"] or 0:node["begin"]] if owner[0] == "ObjCProtocolDecl" else ""
            marks = re.findall(r"@(optional|required)\b", before)
            parameters = tuple(plain(c["type"]["qualType"]) for c in node.get("inner", []) if c.get("kind") == "ParmVarDecl")
            sign = "-" if node.get("instance") else "+"
            row = Declared(
                "method", framework, inside, sign + name, plain(node["returnType"]["qualType"]), parameters, words, attributes,
                dict(optional=bool(marks) and marks[-1] == "optional"))
        elif kind == "EnumDecl" and "{" in words and node.get("inner"):
            raw = plain(node.get("fixedUnderlyingType", {}).get("qualType", ""))
            kind = "OPTIONS" if "FlagEnumAttr" in attributes else "ERROR_ENUM" if "NSErrorDomainAttr" in attributes else "ENUM"
            row = Declared("enum", framework, "", name, raw, (), words, attributes,
                           dict(kind=kind, closed="enum_extensibility(closed)" in words))
        elif kind == "EnumConstantDecl":
            value = constant(node)
            place = id(owner[2]) if owner else 0
            value = following.get(place, 0) if value is None else value
            following[place] = value + 1
            row = Declared("case", framework, inside, name, "", (), words, attributes, dict(value=value))
        elif kind == "VarDecl" and not inside:
            row = Declared("constant", framework, "", name, plain(node["type"]["qualType"]), (), words, attributes, {})
        elif kind == "FunctionDecl":
            spelled = node["type"]["qualType"]
            parameters = tuple(plain(c["type"]["qualType"]) for c in node.get("inner", []) if c.get("kind") == "ParmVarDecl")
            row = Declared("function", framework, "", name, plain(spelled[:spelled.index("(")]), parameters, words, attributes, {})
        elif kind == "FieldDecl" and inside:
            row = Declared("field", framework, inside, name, plain(node["type"]["qualType"]), (), "", attributes, {})
        elif kind == "TypedefDecl" and attributes & {"SwiftNewTypeAttr"}:
            row = Declared("typedef", framework, "", name, plain(node["type"]["qualType"]), (), words, attributes, {})
        if row and (row.kind, row.owner, row.name) not in seen:
            seen.add((row.kind, row.owner, row.name))
            rows.append(row)
    return rows
