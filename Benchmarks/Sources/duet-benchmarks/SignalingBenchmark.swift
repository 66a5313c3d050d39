import ArgumentParser
import Foundation
import RTCSignaling

/// What an idle socket costs a signalling server, and how long invites take while so many are open.
///
/// The server is this process, the idle sockets belong to another one, whose memory does not count.
struct SignalingBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "signaling")

    @Option(help: "How many sockets are open and idle, signed in.")
    var sockets = 10_000

    @Option(help: "How many calls there are in a minute.")
    var callsPerMinute = 1_000

    @Option(help: "For how many seconds there are calls.")
    var seconds = 30

    func run() async throws {
        DescriptorLimit.raise()
        var configuration = SignalingServer.Configuration()
        // The idle sockets answer no ping.
        configuration.limits.pingInterval = .seconds(3_600)
        configuration.limits.signInTimeout = .seconds(120)
        let server = try await SignalingServer.start(configuration)

        // The first sockets pay for what all share.
        let warmUp = try IdleSockets(200, from: 0, at: server.port)
        try await settle(server, 200)
        let before = ResidentMemory.bytes
        let start = ContinuousClock.now
        let idle = try IdleSockets(sockets, from: 200, at: server.port)
        try await settle(server, sockets + 200)
        let opening = ContinuousClock.now - start
        let perSocket = Double(ResidentMemory.bytes - before) / Double(sockets) / 1_024
        print(
            """
            {"benchmark":"signaling-memory","sockets":\(sockets),"kibibytesPerSocket":\(rounded(perSocket)),\
            "signInsPerSecond":\(rounded(Double(sockets) / opening.inSeconds))}
            """)

        let processor = ProcessorTime.seconds
        let delays = try await CallLoad(server, callsPerMinute: callsPerMinute).run(for: seconds)
        let used = ProcessorTime.seconds - processor
        let sorted = delays.sorted()
        guard let longest = sorted.last else { throw ValidationError("there was no call") }
        print(
            """
            {"benchmark":"signaling-invite","sockets":\(sockets),"callsPerMinute":\(callsPerMinute),\
            "calls":\(sorted.count),"medianMs":\(rounded(sorted[sorted.count / 2])),\
            "p99Ms":\(rounded(sorted[sorted.count * 99 / 100])),"maximumMs":\(rounded(longest)),\
            "processorPercent":\(rounded(used / Double(seconds) * 100))}
            """)
        idle.close()
        warmUp.close()
        await server.stop(grace: .seconds(1))
    }

    private func settle(_ server: SignalingServer, _ count: Int) async throws {
        while await server.statistics().exchange.sessions < count { try await Task.sleep(for: .milliseconds(20)) }
        try await Task.sleep(for: .milliseconds(500))
    }
}

/// Calls from invite to hang-up at a steady rate, among pairs of clients.
private struct CallLoad {
    private let pairs: [Pair]
    private let interval: Duration

    private struct Pair {
        let caller: SignalingClient
        let callee: SignalingClient
        let address: SignalingAddress
    }

    init(_ server: SignalingServer, callsPerMinute: Int) async throws {
        interval = .seconds(60) / callsPerMinute
        guard let url = SignalingURL(server.url) else { throw ValidationError("no URL: \(server.url)") }
        var pairs: [Pair] = []
        // So many that each stays within its rate of invites.
        for number in 0..<max(1, callsPerMinute / 20) {
            guard let caller = UserID(rawValue: "caller\(number)"), let callee = UserID(rawValue: "callee\(number)")
            else { continue }
            let pair = Pair(
                caller: SignalingClient(.init(url: url, user: caller)),
                callee: SignalingClient(.init(url: url, user: callee)), address: SignalingAddress(user: callee))
            try await pair.caller.connect()
            try await pair.callee.connect()
            pairs.append(pair)
        }
        self.pairs = pairs
    }

    /// - Returns: From the caller's invite to its arrival, in milliseconds.
    func run(for seconds: Int) async throws -> [Double] {
        let clock = ContinuousClock()
        let started = StartTimes()
        let answers = pairs.map { pair in
            Task { () -> [Double] in
                var delays: [Double] = []
                for await event in pair.callee.events {
                    guard case .message(.invite(let invite)) = event else { continue }
                    if let start = await started[invite.call] {
                        delays.append((clock.now - start).inSeconds * 1_000)
                    }
                    try? pair.callee.answer(invite.call, description: .sdp(type: .answer, sdp: Self.sdp))
                }
                return delays
            }
        }
        let hangUps = pairs.map { pair in
            Task {
                for await event in pair.caller.events {
                    if case .message(.answer(let answer)) = event { try? pair.caller.hangUp(answer.call) }
                }
            }
        }
        let end = clock.now + .seconds(seconds)
        var next = clock.now
        var turn = 0
        while next < end {
            let pair = pairs[turn % pairs.count]
            let call = CallID.random()
            await started.set(call, clock.now)
            _ = try pair.caller.invite(pair.address, call: call, description: .sdp(type: .offer, sdp: Self.sdp))
            turn += 1
            next += interval
            try await clock.sleep(until: next)
        }
        try await clock.sleep(for: .seconds(1))
        var delays: [Double] = []
        for pair in pairs {
            await pair.caller.disconnect()
            await pair.callee.disconnect()
        }
        for answer in answers { delays += await answer.value }
        for hangUp in hangUps { await hangUp.value }
        return delays
    }

    /// As long as a description with sound and picture.
    private static let sdp = String(repeating: "a=rtpmap:96 VP8/90000\r\n", count: 200)

    private actor StartTimes {
        private var times: [CallID: ContinuousClock.Instant] = [:]

        subscript(call: CallID) -> ContinuousClock.Instant? { times[call] }

        func set(_ call: CallID, _ time: ContinuousClock.Instant) {
            times[call] = time
        }
    }
}

/// Sockets that another process opens and keeps.
private final class IdleSockets {
    private let process = Process()
    private let input = Pipe()

    init(_ count: Int, from first: Int, at port: Int) throws {
        process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["signaling-sockets", "\(count)", "\(first)", "\(port)"]
        process.standardInput = input
        try process.run()
    }

    func close() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}

/// The other process of ``SignalingBenchmark``.
struct SignalingSocketsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "signaling-sockets", shouldDisplay: false)

    @Argument var count: Int
    @Argument var first: Int
    @Argument var port: UInt16

    func run() throws {
        DescriptorLimit.raise()
        for number in first..<(first + count) {
            guard open(number) else { throw ValidationError("socket \(number) cannot be opened") }
        }
        while readLine() != nil {}
    }

    private func open(_ number: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard descriptor >= 0, connected == 0 else { return false }
        let handshake = [
            "GET /signal HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13", "", "",
        ].joined(separator: "\r\n")
        guard write(descriptor, Array(handshake.utf8)) else { return false }
        var buffer = [UInt8](repeating: 0, count: 1_024)
        guard recv(descriptor, &buffer, buffer.count, 0) > 0 else { return false }
        let hello = Array(#"{"type":"hello","version":1,"user":"idle\#(number)","device":"d"}"#.utf8)
        // A mask of zeros leaves the text as it is.
        return write(descriptor, [0x81, 0x80 | UInt8(hello.count), 0, 0, 0, 0] + hello)
    }

    private func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        send(descriptor, bytes, bytes.count, 0) == bytes.count
    }
}

private enum DescriptorLimit {
    /// As many descriptors as the system allows.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

extension Duration {
    fileprivate var inSeconds: Double { self / .seconds(1) }
}
