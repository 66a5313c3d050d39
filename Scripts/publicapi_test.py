"""What publicapi.py finds in sources of every shape."""
import unittest

from publicapi import declarations


def found(*sources):
    groups = declarations(sources)
    return {owner: sorted(members) for owner, members in groups.public.items() if members}


class PublicAPITests(unittest.TestCase):
    def test_members_are_listed_with_their_type_and_bodies_are_not_read(self):
        self.assertEqual(found("""
            /// public struct InAComment {}
            public struct Rate: Sendable, Hashable {
                public let bits: Int
                public private(set) var count = 0
                var hidden: Int { 1 }
                public init(bits: Int = 3) { self.bits = bits }
                @discardableResult
                public mutating func add(
                    _ other: Rate, times count: Int = 1
                ) throws(RateError) -> Rate {
                    let local = "public var no: Int"
                    func inner() {}
                    return other
                }
                public var text: String { "\\(bits)" }
            }
            """), {"": ["struct Rate: Sendable, Hashable"],
                   "Rate": ["init(bits: Int = 3)", "let bits: Int",
                            "mutating func add(_ other: Rate, times count: Int = 1) throws(RateError) -> Rate",
                            "var count { get }", "var text: String"]})

    def test_what_says_nothing_about_itself_is_as_its_type(self):
        self.assertEqual(found("""
            public enum Side { case left, right }
            public protocol Turning { var side: Side { get } ; func turn() }
            enum Hidden { case one }
            extension Side { func inner() {} }
            public extension Side { func other() -> Side { self } }
            extension Hidden { public func no() {} }
            extension Hidden: Sendable {}
            extension Side: Sendable {}
            """)[""], ["enum Side", "extension Side: Sendable", "protocol Turning"])

    def test_members_of_enumerations_protocols_and_public_extensions(self):
        groups = found("""
            public enum Side {
                case left, right
                func hidden() {}
            }
            public protocol Turning {
                var side: Side { get }
                func turn()
            }
            public extension Side {
                func other() -> Side { self }
                internal func notThis() {}
            }
            extension Side {
                func notThisEither() {}
                public func third() {}
            }
            """)
        self.assertEqual(groups["Side"], ["case left, right", "func other() -> Side", "func third()"])
        self.assertEqual(groups["Turning"], ["func turn()", "var side: Side"])

    def test_types_within_types(self):
        self.assertEqual(found("""
            public final class Call {
                public struct State { public var isOpen: Bool }
                struct Inner { public var no: Int }
            }
            extension Call {
                public enum End: Sendable { case busy }
            }
            """), {"": ["enum Call.End: Sendable", "final class Call", "struct Call.State"],
                   "Call.State": ["var isOpen: Bool"], "Call.End": ["case busy"]})

    def test_conformances_to_own_protocols_are_not_seen(self):
        self.assertEqual(found("""
            public struct Call {}
            package protocol Gated {}
            protocol Shown {}
            extension Call: Gated, Shown {}
            extension Call: Gated, CustomStringConvertible {}
            """), {"": ["extension Call: Gated, CustomStringConvertible", "struct Call"]})

    def test_spi_is_apart(self):
        groups = declarations(["@_spi(Testing) public struct Fake { public var x: Int }\n@_spi(Testing)\npublic func f() {}"])
        self.assertEqual(sum(map(len, groups.public.values())), 0)
        self.assertEqual(sorted(groups.spi[""]), ["func f()", "struct Fake"])
        self.assertEqual(sorted(groups.spi["Fake"]), ["var x: Int"])

    def test_attributes_that_a_caller_sees_are_kept(self):
        self.assertEqual(found("@MainActor @inlinable public func run(_ body: @escaping @Sendable () -> Void) {}"),
                         {"": ["@MainActor func run(_ body: @escaping @Sendable () -> Void)"]})


if __name__ == "__main__":
    unittest.main()
