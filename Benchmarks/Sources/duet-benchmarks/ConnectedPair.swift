import RTC
import RTCPeer

/// Two connections of this process, with an open data channel between them.
struct ConnectedPair {
    let offerer: PeerConnection
    let answerer: PeerConnection
    let channel: DataChannel
    /// The answerer's end of the channel, which is open for as long as somebody has it.
    let incoming: DataChannel
    let forwarding: [Task<Void, Never>]
    /// From the call that opens the channel, and so makes the offer, until the channel is open.
    let setUpTime: Duration

    /// Connects over the candidates that are gathered by themselves, the signals handed over directly.
    ///
    /// - Parameter relay: A TURN server, which the offerer then shows in place of any address of its own.
    static func connect(relay: PeerConnection.ICEServer? = nil) async throws -> ConnectedPair {
        var configuration = PeerConnection.Configuration()
        configuration.negotiation = .perfect(isPolite: false)
        if let relay {
            configuration.iceServers = [relay]
            configuration.iceTransportPolicy = .relay
        }
        let offerer = try PeerConnection(configuration: configuration)
        configuration.iceServers = []
        configuration.iceTransportPolicy = .all
        configuration.negotiation = .perfect(isPolite: true)
        let answerer = try PeerConnection(configuration: configuration)
        let forwarding = [forward(offerer.signals, to: answerer), forward(answerer.signals, to: offerer)]
        let events = answerer.events
        let start = ContinuousClock.now
        let channel = try await offerer.createDataChannel("data")
        try await channel.waitUntilOpen()
        let setUpTime = ContinuousClock.now - start
        for await case .dataChannel(let incoming) in events {
            return ConnectedPair(
                offerer: offerer, answerer: answerer, channel: channel, incoming: incoming, forwarding: forwarding,
                setUpTime: setUpTime)
        }
        throw RTCError(code: .connectionFailed, message: "the connection was closed before its channel was open")
    }

    private static func forward(_ signals: AsyncStream<Signal>, to connection: PeerConnection) -> Task<Void, Never> {
        Task { [weak connection] in
            for await signal in signals { try? await connection?.receive(signal) }
        }
    }

    func close() async {
        await offerer.close()
        await answerer.close()
        for task in forwarding { task.cancel() }
    }
}
