import RTC
import RTCPeer
import Testing

@Suite("Candidates over TCP, and servers", .timeLimit(.minutes(1)))
struct TCPCandidateTests {
    /// Hands over what concerns TCP alone, as if UDP were blocked.
    private static func forward(_ source: PeerConnection, to target: PeerConnection) -> Task<Void, Never> {
        let signals = source.signals
        return Task { [weak target] in
            for await signal in signals {
                switch signal {
                case .candidate(let candidate) where candidate.candidate.contains(" udp "): continue
                case .candidate: try? await target?.receive(signal)
                case .description(var description):
                    let lines = description.sdp.split(separator: "\r\n").filter {
                        !$0.hasPrefix("a=candidate:") || $0.contains(" tcp ")
                    }
                    description.sdp = lines.map { $0 + "\r\n" }.joined()
                    try? await target?.receive(.description(description))
                }
            }
        }
    }

    private func pair(
        _ policies: [PeerConnection.TCPPolicy]
    ) throws -> (PeerConnection, PeerConnection, [Task<Void, Never>]) {
        let connections = try policies.enumerated().map { number, policy in
            try PeerConnection(
                configuration: LoopbackPair.configuration {
                    $0.negotiation = .perfect(isPolite: number == 1)
                    $0.network.tcp = policy
                })
        }
        let tasks = [
            Self.forward(connections[0], to: connections[1]), Self.forward(connections[1], to: connections[0]),
        ]
        return (connections[0], connections[1], tasks)
    }

    @Test("Where UDP finds no way, one that listens is enough, whichever it is", arguments: [true, false])
    func connects(offererListens: Bool) async throws {
        let (one, other, tasks) = try pair(
            offererListens ? [.connectAndListen, .connect] : [.connect, .connectAndListen])
        let incoming = LoopbackPair.incoming(other)
        let channel = try await one.createDataChannel("data")
        try await channel.waitUntilOpen()
        let far = try #require(await incoming.value)
        // More than a connection takes at once: what does not fit waits.
        let message = String(repeating: "0123456789", count: 20_000)
        let sender = Task { for _ in 0..<50 { try await channel.send(message) } }
        var count = 0
        for await received in far.messages {
            #expect(received == .text(message))
            count += 1
            if count == 50 { break }
        }
        try await sender.value
        let report = await one.getStats()
        let selected = report.candidatePairs.first { $0.nominated }
        let local = report.localCandidates.first { $0.id == selected?.localCandidateId }
        #expect(local?.protocol == "tcp")
        await one.close()
        await other.close()
        for task in tasks { task.cancel() }
    }

    @Test("A relay without credentials is refused, and so are servers that are none; nothing shows a credential")
    func servers() async throws {
        for server in [
            PeerConnection.ICEServer(url: "turn:192.0.2.1"),
            PeerConnection.ICEServer(url: "turn:192.0.2.1", username: "alice"),
            PeerConnection.ICEServer(url: "turns:192.0.2.1", username: "", credential: "hunter2"),
        ] {
            let error = #expect(throws: RTCError.self) {
                try PeerConnection(configuration: LoopbackPair.configuration { $0.iceServers = [server] })
            }
            #expect(error?.code == .invalidArgument && error?.message.contains("hunter2") == false)
        }
        let connection = try PeerConnection(
            configuration: LoopbackPair.configuration {
                $0.iceServers = [.init(url: "turn:192.0.2.1", username: "alice", credential: "hunter2")]
            })
        try await connection.setICEServers([
            .init(url: "turn:192.0.2.1", username: "bob", credential: "hunter3"), .init(url: "stun:192.0.2.2"),
        ])
        await #expect(throws: RTCError.self) { try await connection.setICEServers([.init(url: "turn:192.0.2.1")]) }
        #expect(!"\(connection.configuration.iceServers)".contains("hunter"))
        await connection.close()
    }

    @Test("A relay that does not answer keeps nobody waiting")
    func deadRelay() async throws {
        let pair = try LoopbackPair {
            $0.iceServers = [
                .init(url: "turn:127.0.0.1:9", username: "alice", credential: "secret"),
                .init(url: "turns:127.0.0.1:9", username: "alice", credential: "secret"),
            ]
        }
        let began = ContinuousClock.now
        let channel = try await pair.offerer.createDataChannel("data")
        try await channel.waitUntilOpen()
        #expect(ContinuousClock.now - began < .seconds(2))
        await pair.close()
    }
}
