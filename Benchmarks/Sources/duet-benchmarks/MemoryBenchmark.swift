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
        let before = ResidentMemory.bytes
        for _ in 0..<pairs { kept.append(try await ConnectedPair.connect()) }
        let after = ResidentMemory.bytes
        let perPair = Double(after - before) / Double(pairs) / 1_024
        print(#"{"benchmark":"memory","pairs":\#(pairs),"kibibytesPerPair":\#(rounded(perPair))}"#)
        for pair in kept { await pair.close() }
    }
}
