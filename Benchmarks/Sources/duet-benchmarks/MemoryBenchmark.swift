import ArgumentParser
import Foundation

/// What one idle connected pair costs: the slope of the resident memory over many pairs.
struct MemoryBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "memory")

    @Option(help: "How many pairs to connect and keep.")
    var pairs = 1_000

    func run() async throws {
        var kept: [ConnectedPair] = []
        // The first pairs pay for what all share: code, tables, event loops, the allocator's arenas.
        let warmUp = 50
        for _ in 0..<warmUp { kept.append(try await ConnectedPair.connect()) }
        let before = residentBytes()
        for _ in 0..<pairs { kept.append(try await ConnectedPair.connect()) }
        let after = residentBytes()
        let perPair = Double(after - before) / Double(pairs) / 1_024
        print(#"{"benchmark":"memory","pairs":\#(pairs),"kibibytesPerPair":\#(rounded(perPair))}"#)
        for pair in kept { await pair.close() }
    }

    private func residentBytes() -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4_096
    }
}
