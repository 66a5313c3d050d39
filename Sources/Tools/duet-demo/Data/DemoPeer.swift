import DuetShell
import Foundation
import RTC
import RTCPeer
import RTCTransport

/// One of the two processes of the demo: connects, sends a file and receives one, and reports the progress.
actor DemoPeer {
    private let connection: PeerConnection
    private let work: DataDemoWork
    private let output: LineWriter
    private var start: ContinuousClock.Instant?
    private let exitStatus = ExitStatus()

    init(_ work: DataDemoWork, output: LineWriter) throws(RTCError) {
        var configuration = PeerConnection.Configuration()
        configuration.negotiation = .perfect(isPolite: !work.isOffering)
        connection = try PeerConnection(configuration: configuration)
        self.work = work
        self.output = output
    }

    /// Runs until the input says `close`, or ends.
    func run(_ inputs: AsyncStream<SessionInput>) async {
        let (signals, events) = (connection.signals, connection.events)
        Task { for await signal in signals { output.write(signal.json) } }
        Task { for await event in events { await handle(event) } }
        if work.isOffering {
            start = .now
            await attempt {
                let channel = try await self.connection.createDataChannel("file")
                Task { await self.exchange(over: channel) }
            }
        }
        for await input in inputs {
            guard case .line(let line) = input else { break }
            guard let line = try? InputLine(parsing: line) else { continue }
            if case .command(.close) = line { break }
            if case .signal(let signal) = line {
                if start == nil { start = .now }
                await attempt { try await self.connection.receive(signal) }
            }
        }
        exitStatus.succeed()
        exitStatus.exit(after: .seconds(1))
        await connection.close()
        await output.finish(within: .milliseconds(200))
    }

    private func handle(_ event: PeerConnection.Event) async {
        switch event {
        case .connectionStateChange(let state):
            var report = DemoReport(.connectionState)
            report.value = state.rawValue
            report.milliseconds = milliseconds
            if state == .failed { report.reason = await connection.failureReason }
            output.write(bytes: report.line)
        case .dataChannel(let channel): Task { await exchange(over: channel) }
        default: break
        }
    }

    private var milliseconds: Double { start.map { $0.duration(to: .now) / .milliseconds(1) } ?? 0 }

    /// Sends and receives at the same time.
    private func exchange(over channel: DataChannel) async {
        await attempt {
            try await channel.waitUntilOpen()
            await self.reportOpen()
            async let sending: Void = FileSender(file: URL(fileURLWithPath: self.work.sent), channel: channel).run(
                self.output)
            let received = URL(fileURLWithPath: self.work.received)
            try await FileReceiver(file: received, channel: channel).run(self.output)
            try await sending
            // The channel lives as long as its last reference: the peer may still be reading.
            while await !channel.receive().isEmpty {}
        }
    }

    private func reportOpen() async {
        var report = DemoReport(.channelOpen)
        report.milliseconds = milliseconds
        output.write(bytes: report.line)
        output.write(bytes: DemoReport(route: await connection.getStats()).line)
    }

    private func attempt(_ body: @Sendable @escaping () async throws -> Void) async {
        do {
            try await body()
        } catch {
            var report = DemoReport(.error)
            report.reason = (error as? RTCError)?.message ?? (error as? FileTransferError)?.description ?? "\(error)"
            output.write(bytes: report.line)
        }
    }
}

extension DemoReport {
    /// The path of the packets, from the statistics.
    fileprivate init(route statistics: StatisticsReport) {
        self.init(.route)
        let figures = CallFigures(statistics)
        func describe(_ end: CallFigures.End?) -> String {
            guard let end else { return "unknown" }
            return "\(end.type) \(end.address)/\(figures.transport?.lowercased() ?? "unknown")"
        }
        local = describe(figures.local)
        remote = describe(figures.remote)
        security = figures.security ?? "unknown"
    }
}
