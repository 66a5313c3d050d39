import ArgumentParser
import Logging

@main
enum Main {
    static func main() async {
        // A warning for each connection that has no server for its path would be measured as well.
        LoggingSystem.bootstrap { _ in SwiftLogNoOpLogHandler() }
        await Benchmarks.main()
    }
}

struct Benchmarks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duet-benchmarks",
        abstract: "Measures the engine from inside one process; prints one JSON object a line.",
        subcommands: [
            SetUpBenchmark.self, MemoryBenchmark.self, FirstFrameBenchmark.self, DelayBenchmark.self,
            PacketPathBenchmark.self, LadderBenchmark.self, SignalingBenchmark.self, SignalingSocketsCommand.self,
            ExchangeBenchmark.self,
        ])
}
