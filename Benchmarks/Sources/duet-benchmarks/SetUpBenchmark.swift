import ArgumentParser
import RTC

/// How long two peers of one process take from the call that opens a data channel until it is open.
struct SetUpBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "setup")

    @Option(help: "How often to connect.")
    var runs = 200

    @Option(help: ArgumentHelp("The offerer's relay.", valueName: "url,username,credential"))
    var relay: String?

    func run() async throws {
        let fields = relay?.split(separator: ",", maxSplits: 2).map(String.init) ?? []
        let server =
            fields.count == 3
            ? PeerConnection.ICEServer(url: fields[0], username: fields[1], credential: fields[2]) : nil
        var times: [Double] = []
        for _ in 0..<runs {
            let pair = try await ConnectedPair.connect(relay: server)
            let (seconds, attoseconds) = pair.setUpTime.components
            times.append(Double(seconds) * 1e3 + Double(attoseconds) / 1e15)
            await pair.close()
        }
        times.sort()
        print(
            """
            {"benchmark":"setup","runs":\(runs),"medianMs":\(rounded(times[runs / 2])),\
            "minimumMs":\(rounded(times[0])),"p95Ms":\(rounded(times[runs * 95 / 100]))}
            """)
    }
}

/// Three decimals.
func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }
