import Foundation
import RTCWire
import Testing

@Suite("What fuzzing found")
struct CrashCaseTests {
    /// The bytes of all files in `folder`, by their names.
    private static func cases(in folder: String, of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
        var root = URL(filePath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        let path = root.appending(path: folder).appending(path: target.rawValue)
        guard FileManager.default.fileExists(atPath: path.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(at: path, includingPropertiesForKeys: nil)
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
            .map { ($0.lastPathComponent, [UInt8](try Data(contentsOf: $0))) }
    }

    @Test("Every input that once crashed a target passes", arguments: FuzzTarget.allCases)
    func crashCases(target: FuzzTarget) throws {
        for (_, bytes) in try Self.cases(in: "Tests/FuzzTests/CrashCases", of: target) { target.run(bytes) }
    }

    @Test("Every input that fuzzing begins with passes", arguments: FuzzTarget.allCases)
    func corpus(target: FuzzTarget) throws {
        let inputs = try Self.cases(in: "FuzzTesting/Corpus", of: target)
        #expect(!inputs.isEmpty)
        for (_, bytes) in inputs { target.run(bytes) }
    }

    /// A few thousand garbled inputs, the same at every run: a change that breaks a target is seen before anybody fuzzes.
    @Test("Garbled inputs pass", arguments: FuzzTarget.allCases)
    func garbled(target: FuzzTarget) throws {
        let corpus = try Self.cases(in: "FuzzTesting/Corpus", of: target).map(\.bytes)
        let random = SeededRandom(seed: 7)
        let count = target == .setUp || target == .connected ? 200 : 2_000
        for _ in 0..<count {
            var bytes = corpus.isEmpty ? [] : corpus[Int(random.next(below: UInt64(corpus.count)))]
            bytes.append(contentsOf: random.bytes(Int(random.next(below: 64))))
            for _ in 0..<random.next(below: 16) where !bytes.isEmpty {
                bytes[Int(random.next(below: UInt64(bytes.count)))] = UInt8(truncatingIfNeeded: random.next())
            }
            target.run(bytes)
        }
    }
}
