"""Compares each of our declarations with the facts about Apple's."""
import re

from . import facts_declared, facts_known, facts_types

MAIN, SENDABLE = 'swift_attr("@UIActor")', 'swift_attr("@Sendable")'
CODING = ("NSCoding", "NSSecureCoding", "NSCopying", "NSMutableCopying")
# The root's protocol has another name in the facts.
ROOT = {"NSObject": "NSObjectProtocol"}
FACED = {"macos": "macOS", "ios": "iOS"}


def documentation(row):
    """The documentation page of a declaration: for a member, that of its class, which lists it."""
    return f"developer.apple.com/documentation/{row.framework.lower()}/{(row.owner or row.name).lower()}"


def title(row):
    """The name of a declaration in the list."""
    if row.kind == "method":
        return f"{row.name[0]}[{row.owner} {row.name[1:]}]"
    return f"{row.owner}.{row.name}" if row.kind == "field" else row.name


class Comparison:
    def __init__(self, rows, facts, versions, ledger, floor):
        self.floor = floor
        self.rows, self.facts, self.versions, self.ledger = rows, facts, versions, ledger
        self.classes = {row.name: row for row in rows if row.kind == "class"}
        self.protocols = {row.name: row for row in rows if row.kind == "protocol"}
        self.methods = {(row.owner, row.name): row for row in rows if row.kind == "method"}
        self.categories = {}
        for row in rows:
            if row.kind == "category":
                self.categories.setdefault(row.owner, []).extend(row.extra["conforms"])

    def line(self, name):
        """One of our classes and its superclasses."""
        found = []
        while name in self.classes:
            found.append(name)
            name = self.classes[name].extra["above"]
        return found

    def ours(self, name):
        """All protocols that one of our classes conforms to."""
        found = set()

        def add(protocol):
            found.add(protocol)
            for above in self.protocols[protocol].extra["conforms"] if protocol in self.protocols else ():
                add(above)
        for each in self.line(name):
            for protocol in [*self.classes[each].extra["conforms"], *self.categories.get(each, [])]:
                add(protocol)
        return found

    def theirs(self, name):
        """All protocols that Apple's class conforms to."""
        return {
            inherited for each in self.facts.above(name) for protocol in self.facts.conforms.get(each, ())
            for inherited in self.facts.inherited(protocol)}

    def run(self):
        for row in self.rows:
            getattr(self, "on_" + row.kind)(row)
            self.words(row)

    def words(self, row):
        """Attributes without facts: names in Swift, designated initialisers, and actors of blocks."""
        name = title(row)
        if row.kind == "category":
            return
        if "swift_name(" in row.words:
            self.ledger.by_hand(row, name, "name in Swift")
        if "ObjCDesignatedInitializerAttr" in row.attributes:
            self.ledger.by_hand(row, name, "designated initialiser")
        if "swift_private" in row.words and "swift_async" not in row.words:
            self.ledger.by_hand(row, name, "another face in Swift")
        if row.kind == "method" and MAIN in row.words:
            self.ledger.by_hand(row, name, "block on the main actor")
        if "swift_async" in row.words:
            self.ledger.by_hand(row, name, "async face")
        if "swift_bridge" in row.words:
            self.ledger.by_hand(row, name, "bridged value")

    def on_class(self, row):
        known = self.facts.classes.get(row.name)
        if not known:
            return self.ledger.missing(row, row.name, "class")

        def say(aspect, ours, theirs):
            self.ledger.compare(row, row.name, aspect, ours, theirs)
        say("class", True, True)
        say("superclass", row.extra["above"], [*known["above"], None][0])
        main = any(self.facts.classes.get(name, {}).get("main") for name in self.facts.above(row.name))
        say("main actor", any(MAIN in self.classes[name].words for name in self.line(row.name)), main)
        say("Sendable", SENDABLE in row.words, row.name in self.facts.sendable and not main)
        ours, theirs = self.ours(row.name), self.theirs(row.name)
        for protocol in sorted(ours | (theirs & set(CODING))):
            if protocol not in ROOT and protocol not in ROOT.values():
                say(f"conforms to {protocol}", protocol in ours, protocol in theirs)
        said = facts_declared.availability(row.words).get("macos")
        say("deprecated", bool(said and said[1] and said[1] <= (26, 0)), known["deprecated"])
        for selector in ("-init", "+new"):
            if selector in self.facts.unavailable.get(row.name, ()):
                say(f"unavailable {selector}", self.is_unavailable(row.name, selector), True)

    def is_unavailable(self, name, selector):
        for each in self.line(name):
            if (each, selector) in self.methods:
                return "UnavailableAttr" in self.methods[each, selector].attributes
        return False

    def on_category(self, row):
        pass

    def on_protocol(self, row):
        known = self.facts.protocols.get(ROOT.get(row.name, row.name))
        if not known:
            return self.ledger.missing(row, row.name, "protocol")
        self.ledger.compare(row, row.name, "protocol", True, True)
        ours = {ROOT.get(p, p) for p in row.extra["conforms"]}
        self.ledger.compare(row, row.name, "inherits", sorted(ours), sorted(set(known["inherits"]) - {"Send", "Sync"}))
        inherited = [self.facts.protocols.get(each, {}).get("inherits", ()) for each in self.facts.inherited(row.name)]
        self.ledger.compare(row, row.name, "Sendable", SENDABLE in row.words, any("Send" in each for each in inherited))
        self.ledger.compare(row, row.name, "main actor", MAIN in row.words, known["main"])

    def on_method(self, row):
        name = title(row)
        known = self.facts.method(row.owner, row.name)
        unavailable = self.facts.unavailable.get(row.owner, ())
        own = self.facts.methods.get(row.owner, {})
        is_ours = "UnavailableAttr" in row.attributes
        # If `new` is unavailable and the class has no `init` of its own, `init` is unavailable too.
        follows = row.name == "-init" and "+new" in unavailable and "-init" not in own
        if row.name in unavailable or follows or (is_ours and not known):
            return self.ledger.compare(row, name, "unavailable", is_ours, True)
        if not known:
            return self.ledger.missing(row, name, "method")
        self.ledger.compare(row, name, "selector", True, True)
        if is_ours:
            return self.ledger.compare(row, name, "unavailable", True, False)
        if row.owner in self.protocols:
            self.ledger.compare(row, name, "optional", row.extra["optional"], known["optional"])
        theirs = list(known["parameters"])
        ours = list(row.parameters)
        returned = known["returns"]
        if known["error"]:
            returned = facts_types.of_result(returned, self.facts)
            self.ledger.compare(row, name, "error", facts_types.ours(ours.pop()).base if ours else "", "NSError *")
            self.ledger.compare(row, name, "returns", facts_types.ours(row.returns).base, returned.base)
        else:
            self.types(row, name, "returns", row.returns, returned)
        for index, (one, other) in enumerate(zip(ours, theirs)):
            self.types(row, name, f"parameter {index + 1}", one, other)
        self.ledger.compare(row, name, "number of parameters", len(ours), len(theirs))

    def types(self, row, name, aspect, ours, theirs):
        ours, theirs = facts_types.ours(ours), facts_types.theirs(theirs, self.facts)
        if theirs.nullable is None or ours.unspecified:
            theirs = theirs._replace(nullable=ours.nullable)
        self.ledger.compare(row, name, aspect + ": nullability", ours.nullable, theirs.nullable)
        self.ledger.compare(row, name, aspect + ": type", ours.base, theirs.base)
        # The C declarations of Core Foundation's collections have no element type.
        if theirs.elements and not theirs.base.startswith("CF"):
            self.ledger.compare(row, name, aspect + ": elements", ours.elements, theirs.elements)
        if theirs.block is not None:
            self.ledger.compare(row, name, aspect + ": Sendable", ours.sendable, theirs.sendable)
            self.ledger.compare(row, name, aspect + ": what the block takes", ours.block, theirs.block)

    def on_enum(self, row):
        known = self.facts.enums.get(row.name)
        if not known:
            return self.ledger.missing(row, row.name, "enumeration")
        self.ledger.compare(row, row.name, "kind", row.extra["kind"], known["kind"][3:].replace("CLOSED_", ""))
        raw = facts_types.theirs(known["raw"] or "", self.facts)
        self.ledger.compare(row, row.name, "type", facts_types.ours(row.returns).base, raw.base)
        if known["kind"] == "NS_CLOSED_ENUM" or row.extra["closed"]:
            self.ledger.compare(row, row.name, "closed", row.extra["closed"], known["kind"] == "NS_CLOSED_ENUM")
            ours = {r.name for r in self.rows if r.kind == "case" and r.owner == row.name}
            theirs = {name for name, value in self.facts.values.items() if value["of"] == row.name}
            self.ledger.compare(row, row.name, "cases", sorted(ours), sorted(theirs))

    def on_case(self, row):
        known = self.facts.values.get(row.name)
        value = facts_types.value(known["value"]) if known else None
        if value is None:
            return self.ledger.missing(row, row.name, "value")
        bits = (1 << 64) - 1
        self.ledger.compare(row, row.name, "value", row.extra["value"] & bits, value & bits)

    def on_constant(self, row):
        known = self.facts.constants.get(row.name)
        if not known:
            return self.ledger.missing(row, row.name, "constant")
        self.types(row, row.name, "constant", row.returns, known.split(" = ")[0])

    def on_function(self, row):
        known = self.facts.functions.get(row.name)
        if not known:
            return self.ledger.missing(row, row.name, "function")
        self.ledger.compare(row, row.name, "number of parameters", len(row.parameters), len(known["parameters"]))
        for index, (one, other) in enumerate(zip([row.returns, *row.parameters], [known["returns"], *known["parameters"]])):
            self.types(row, row.name, f"parameter {index}" if index else "returns", one, other)

    def on_field(self, row):
        known = self.facts.fields.get(row.owner, {})
        if row.name not in known:
            return self.ledger.missing(row, title(row), "field")
        theirs = facts_types.theirs(known[row.name], self.facts)
        self.ledger.compare(row, title(row), "field", facts_types.ours(row.returns).base, theirs.base)

    def on_typedef(self, row):
        known = self.facts.enums.get(row.name)
        if not known:
            return self.ledger.missing(row, row.name, "typed constants")
        kind = "NS_TYPED_EXTENSIBLE_ENUM" if "swift_newtype(struct)" in row.words else "NS_TYPED_ENUM"
        self.ledger.compare(row, row.name, "typed constants", kind, known["kind"].replace("STRING", "TYPED").replace(
            "NS_EXTENSIBLE_TYPED", "NS_TYPED_EXTENSIBLE"))

    def availability(self, system):
        """Checks iOS and macOS against macios; visionOS, for which there are no machine-readable facts, by hand."""
        for row in self.rows:
            if row.kind not in ("class", "protocol", "method", "constant", "enum", "case", "typedef"):
                continue
            whole = self.classes.get(row.owner) or self.protocols.get(row.owner) if row.kind == "method" else None
            above = facts_declared.availability(whole.words) if whole else {}
            own = facts_declared.availability(row.words)
            ours = {**above, **{s: version for s, version in own.items() if above.get(s, ()) is not None}}
            self.vision(row, ours)
            known = self.known_versions(row)
            if known is None:
                if row.kind != "typedef" and own:
                    self.ledger.by_hand(row, title(row), "availability")
                continue
            if system not in FACED:
                continue
            ours, theirs = (self.least(said.get(system, ((0, 0), None)), system) for said in (ours, known))
            aspect = f"availability on {FACED[system]}"
            if ours != theirs and ours is not None and theirs is not None and max(ours, theirs) <= self.floor:
                # Both versions are below the package's minimum, which the compiler does not check.
                self.ledger.by_hand(row, title(row), aspect)
            else:
                self.ledger.compare(row, title(row), aspect, ours, theirs)

    def vision(self, row, ours):
        """The hand-written facts about visionOS, and what is missing there."""
        name, said = title(row), ours.get("visionos", ())
        if name in self.ledger.read:
            version, page = self.ledger.read[name]
            words = "unavailable" if said is None else " to ".join(".".join(map(str, v)) for v in said if v) if said else "always"
            if words == version or (words, version) == ("always", "1.0"):
                self.ledger.by_hand(row, name, f"visionOS {version} (read)", page)
            else:
                self.ledger.wrong[name, "visionOS"] = f"declared {words}, read {version}"
        elif "visionos" in facts_declared.availability(row.words):
            self.ledger.by_hand(row, name, "visionOS (unproven)")

    def known_versions(self, row):
        """The version that introduced a declaration, from macios, or None."""
        if row.kind == "typedef":
            return None
        if row.kind in ("constant", "case"):
            return self.since(self.versions.fields.get(row.name))
        if row.kind != "method":
            return self.since(self.versions.types.get(row.name))
        whole = self.versions.types.get(row.owner)
        members = self.versions.members.get(row.owner, {})
        selector = row.name[1:]
        plain = re.sub(r"^is([A-Z])", lambda m: m[1].lower(), selector)
        setter = re.sub(r"^set([A-Z])(\w*):$", lambda m: m[1].lower() + m[2], selector)
        member = next((members[name] for name in (selector, plain, setter) if name in members), None)
        if whole is None or member is None:
            return None
        return self.since({s: None if whole.get(s, 1) is None else member.get(s, whole.get(s, (0, 0))) for s in FACED})

    @staticmethod
    def since(known):
        return known and {system: version and (version, None) for system, version in known.items()} if known is not None else None

    @staticmethod
    def least(said, system):
        """The introduction, at least the oldest version that macios supports."""
        return None if said is None else max(said[0][:2], facts_known.Versions.least[system])
