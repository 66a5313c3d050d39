package import NATS

/// One rule of ``KeyValueStore``, tried on whatever implements it: on a NATS server, and on the model in memory.
package struct ConformanceCase: Sendable, CustomStringConvertible {
    package let name: String
    /// The clients share a bucket, in which only this case has written.
    package let run: @Sendable (_ client: @Sendable () async throws -> any KeyValueStore) async throws -> Void
    package var description: String { name }

    package static let all: [ConformanceCase] = entries + races + watches + messages
}

package struct ConformanceFailure: Error, CustomStringConvertible {
    package let description: String
}

func require(_ condition: Bool, _ what: @autoclosure () -> String, line: Int = #line) throws {
    if !condition { throw ConformanceFailure(description: "line \(line): \(what())") }
}

/// Requires an error with a code.
func refuses(_ code: NATSError.Code, line: Int = #line, _ body: () async throws -> some Any) async throws {
    do {
        let value = try await body()
        throw ConformanceFailure(description: "line \(line): \(value) instead of \(code)")
    } catch let error as NATSError {
        try require(error.code == code, "\(error.code) instead of \(code)", line: line)
    }
}

func key(_ text: String) throws -> KeyValueKey { try KeyValueKey(text) }

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// The next changes of a watch.
struct Reader {
    private var iterator: KeyValueWatch.Iterator

    init(_ watch: KeyValueWatch) {
        iterator = watch.makeAsyncIterator()
    }

    mutating func next(line: Int = #line) async throws -> KeyValueChange {
        guard let change = try await iterator.next() else {
            throw ConformanceFailure(description: "line \(line): the watch has ended")
        }
        return change
    }

    mutating func entry(line: Int = #line) async throws -> KeyValueEntry {
        guard case .entry(let entry) = try await next(line: line) else {
            throw ConformanceFailure(description: "line \(line): no entry")
        }
        return entry
    }

    mutating func expectCaughtUp(line: Int = #line) async throws {
        let change = try await next(line: line)
        try require(change == .caughtUp, "\(change) instead of the end of what existed", line: line)
    }
}

// MARK: One client

extension ConformanceCase {
    static let entries = [
        ConformanceCase(name: "a key that was never written has no entry") { client in
            let store = try await client()
            let entry = try await store.get(key("absent"))
            try require(entry == nil, "there is \(String(describing: entry))")
        },
        ConformanceCase(name: "a key is created once") { client in
            let store = try await client()
            let revision = try await store.create(key("a.b"), bytes("one"))
            try await refuses(.keyExists) { try await store.create(key("a.b"), bytes("two")) }
            let entry = try await store.get(key("a.b"))
            let wanted = KeyValueEntry(key: try key("a.b"), value: bytes("one"), revision: revision)
            try require(entry == wanted, "\(String(describing: entry)) instead of \(wanted)")
        },
        ConformanceCase(name: "an update needs the last revision") { client in
            let store = try await client()
            try await refuses(.wrongLastSequence) { try await store.update(key("k"), bytes("x"), revision: 7) }
            let first = try await store.update(key("k"), bytes("1"), revision: 0)
            let second = try await store.update(key("k"), bytes("2"), revision: first)
            try require(second > first, "\(second) after \(first)")
            for old in [0, first, second + 1] {
                try await refuses(.wrongLastSequence) { try await store.update(key("k"), bytes("3"), revision: old) }
            }
            let entry = try await store.get(key("k"))
            try require(entry?.value == bytes("2") && entry?.revision == second, "\(String(describing: entry))")
        },
        ConformanceCase(name: "a write of another key does not matter") { client in
            let store = try await client()
            let first = try await store.create(key("k"), bytes("1"))
            _ = try await store.create(key("k.k"), bytes("other"))
            _ = try await store.update(key("k"), bytes("2"), revision: first)
        },
        ConformanceCase(name: "a deleted key can be created again") { client in
            let store = try await client()
            let first = try await store.create(key("k"), bytes("1"))
            try await refuses(.wrongLastSequence) { try await store.delete(key("k"), revision: first + 1) }
            try await store.delete(key("k"), revision: first)
            let gone = try await store.get(key("k"))
            try require(gone == nil, "there is \(String(describing: gone))")
            try await refuses(.wrongLastSequence) { try await store.update(key("k"), bytes("2"), revision: first) }
            let second = try await store.create(key("k"), bytes("2"))
            try require(second > first + 1, "\(second) after \(first)")
            try await store.delete(key("k"), revision: nil)
            let third = try await store.create(key("k"), [])
            let entry = try await store.get(key("k"))
            try require(entry?.value == [] && entry?.revision == third, "an empty value is one")
        },
        ConformanceCase(name: "keys have all the characters of ADR-8") { client in
            let store = try await client()
            for text in ["A-z_0/9=", "a.b.c.d.e.f", "-", "=", "x/y.z"] {
                let revision = try await store.create(key(text), bytes(text))
                let entry = try await store.get(key(text))
                try require(entry?.value == bytes(text) && entry?.revision == revision, text)
            }
        },
        ConformanceCase(name: "any bytes are a value") { client in
            let store = try await client()
            let value = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) } + bytes("\r\nPING\r\n")
            _ = try await store.create(key("k"), value)
            let entry = try await store.get(key("k"))
            try require(entry?.value == value, "the value has changed")
        },
    ]
}
