"""The public declarations in Swift sources, found by their text: nothing has to be built, and every platform's are there."""
import re
from collections import defaultdict
from dataclasses import dataclass, field

from swiftsource import without_comments_and_strings

ATTRIBUTE = r"@\w+(?:\((?:[^()]|\([^()]*\))*\))?"
MODIFIER = (r"(?:public|open|package|internal|fileprivate|private)(?:\(set\))?|static|final|class(?=\s+(?:func|var|subscript))"
            r"|mutating|nonmutating|indirect|nonisolated(?:\(\w+\))?|convenience|required|override|lazy|weak|unowned(?:\(\w+\))?"
            r"|borrowing|consuming|isolated|distributed|dynamic|optional|prefix|postfix|infix|async")
DECLARATION = re.compile(
    rf"(?P<attributes>(?:{ATTRIBUTE}\s+)*)(?P<modifiers>(?:(?:{MODIFIER})\s+)*)"
    r"(?P<kind>(?:struct|class|enum|protocol|extension|actor|typealias|associatedtype)(?=\s+[A-Z`])"
    r"|(?:func|var|let|case)(?=\s+\S)|(?:init|subscript)(?=[\s(?!<]))")
TYPES = {"struct", "class", "enum", "protocol", "extension", "actor"}
# They say how something is compiled, or warn, and are no part of what a caller sees.
UNSEEN = re.compile(r"@(inlinable|usableFromInline|inline\(\w+\)|_spi\(\w+\)|discardableResult|_exported|frozen|objc(\([\w:]*\))?"
                    r"|_specialize\([^)]*\)|_disfavoredOverload|unknown|retroactive|preconcurrency)\s*")
RESTRICTED_SETTER = re.compile(r"\b(?:private|fileprivate|internal|package)\(set\)\s+")
ACCESS = re.compile(r"\b(public|open)\s+")
WORD = re.compile(r"[@#`]?[\w`]*")


@dataclass
class Declarations:
    """The members of each type, whose line is the key, or of the module, whose key is empty."""
    public: dict = field(default_factory=lambda: defaultdict(set))
    spi: dict = field(default_factory=lambda: defaultdict(set))
    # The types that the module declares, and whether others see them; and the conformances that it gives to a type elsewhere.
    types: dict = field(default_factory=dict)
    conformances: list = field(default_factory=list)

    def settle(self):
        """Leaves out what extensions add to types that nobody else sees."""
        for group in (self.public, self.spi):
            for owner in [owner for owner in group if owner and not self.is_seen(owner)]:
                del group[owner]
        for owner, line in self.conformances:
            if self.is_seen(owner) and self.conforms_publicly(line):
                self.public[""].add(line)
        self.public[""] = {line for line in self.public[""] if self.is_seen(self.owner(line))}
        return self

    def conforms_publicly(self, line):
        """Whether one protocol at least is not one that this module keeps to itself."""
        protocols = re.split(r",\s*", line.split(" where ")[0].split(":", 1)[1])
        return any(self.types.get(protocol.strip(), True) for protocol in protocols)

    def is_seen(self, path):
        parts = path.split(".")
        return all(self.types.get(".".join(parts[:end]), True) for end in range(1, len(parts) + 1))

    @staticmethod
    def owner(line):
        match = re.search(r"\b(?:struct|class|enum|protocol|actor) ([\w.`]+)", line)
        return match[1] if match else ""


@dataclass
class Scope:
    kind: str
    name: str = ""
    access: str = ""  # of the type: public, SPI, or nothing
    members: str = ""  # of a member that says nothing about itself
    depth: int = 0


def declarations(sources):
    found = Declarations()
    for source in sources:
        read(without_comments_and_strings(source), found)
    return found.settle()


def read(code, found):
    scopes, depth, position = [Scope("module", access="public")], 0, 0
    while position < len(code):
        character = code[position]
        if character == "{":
            # A body: nothing in it is declared for others.
            depth, position = depth + 1, position + 1
        elif character == "}":
            depth, position = depth - 1, position + 1
            while len(scopes) > 1 and depth < scopes[-1].depth:
                scopes.pop()
        elif depth == scopes[-1].depth and begins_word(code, position) and (match := DECLARATION.match(code, position)):
            position = declare(code, match, scopes, depth, found)
            if position < len(code) and code[position] == "{" and scopes[-1].depth == depth + 1:
                depth, position = depth + 1, position + 1
        else:
            position = max(WORD.match(code, position).end(), position + 1)


def begins_word(code, position):
    before = code[position - 1] if position else " "
    return (code[position].isalpha() or code[position] == "@") and not before.isalnum() and before not in "_.@`"


def declare(code, match, scopes, depth, found):
    """Notes a declaration, and enters it if it is a type. Returns where to go on: at its opening brace, or after it."""
    kind, scope = match["kind"], scopes[-1]
    end = end_of_signature(code, match.end(), kind)
    signature = " ".join(code[match.start("modifiers"):end].split()).replace("( ", "(").replace(" )", ")")
    attributes = " ".join(match["attributes"].split())
    access = access_of(attributes, match["modifiers"], scope, kind)
    if kind == "extension":
        name = re.match(r"extension\s+([\w.`]+)", code[match.start("kind"):end])[1].replace("`", "")
        if ":" in signature.split(" where ")[0]:
            found.conformances.append((name, f"{seen(attributes)}{ACCESS.sub('', signature)}"))
        scopes.append(Scope(kind, name, "public", access if access in ("public", "spi") else "", depth + 1))
        return end
    if access in ("public", "spi") and scope.access == "public" or access == "spi" and scope.access == "spi":
        line = f"{seen(attributes)}{ACCESS.sub('', signature)}".strip()
        if (read_only := RESTRICTED_SETTER.sub("", line)) != line:
            line = read_only + " { get }"
        if kind in TYPES:
            note(found, access, "", re.sub(rf"\b{kind} ", f"{kind} {scope.name}.", line, count=1) if scope.name else line)
        else:
            note(found, access, scope.name, line)
    if kind in TYPES and end < len(code) and code[end] == "{":
        name = re.match(rf"{kind}\s+([\w`]+)", code[match.start("kind"):end])[1]
        path = f"{scope.name}.{name}" if scope.name else name
        own = access if access in ("public", "spi") and scope.access in ("public", "spi") else "internal"
        found.types[path] = own != "internal"
        scopes.append(Scope(kind, path, own, own if kind in ("enum", "protocol") else "", depth + 1))
    return end


def access_of(attributes, modifiers, scope, kind):
    words = modifiers.split()
    is_spi = "@_spi(" in attributes
    if "public" in words or "open" in words:
        return "spi" if is_spi or scope.access == "spi" else "public"
    if any(word.split("(")[0] in ("private", "fileprivate", "internal", "package") and not word.endswith("(set)") for word in words):
        return "private"
    if scope.kind == "protocol" or kind == "case" or scope.kind == "extension":
        return scope.members
    return ""


def note(found, access, owner, line):
    (found.spi if access == "spi" else found.public)[owner].add(line)


def seen(attributes):
    kept = UNSEEN.sub("", attributes + " ").strip()
    return kept + " " if kept else ""


def end_of_signature(code, position, kind):
    """Where the body, the value or the line ends what a caller sees of a declaration."""
    brackets = 0
    while position < len(code):
        character = code[position]
        if character in "([":
            brackets += 1
        elif character in ")]":
            brackets -= 1
        elif brackets == 0:
            if character in "{}":
                return position
            if character == "=" and kind in ("let", "var", "case") and code[position - 1] == " " and code[position + 1] == " ":
                return position
            if character == "\n" and not goes_on(code, position, kind):
                return position
        position += 1
    return position


def goes_on(code, position, kind):
    """Whether a declaration continues after this end of a line."""
    before, after = code[:position].rstrip(), code[position:].lstrip()
    if before.endswith((",", "->", ":", "&", "<", "=")) or kind in TYPES and not after.startswith(("}", "@")):
        return True
    return after.startswith(("->", "async", "throws", "where ", "{ get", "rethrows")) or kind in ("func", "init", "subscript") and after.startswith("{")
