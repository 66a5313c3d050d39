import ArgumentParser

@main
struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duet-benchmarks",
        abstract: "Measures the engine from inside one process; prints one JSON object a line.",
        subcommands: [
            SetUpBenchmark.self, MemoryBenchmark.self, FirstFrameBenchmark.self, DelayBenchmark.self,
            PacketPathBenchmark.self, SignalingBenchmark.self, SignalingSocketsCommand.self,
        ])
}
