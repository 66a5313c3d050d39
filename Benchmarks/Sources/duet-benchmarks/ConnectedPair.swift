import RTC
import RTCPeer

/// Two connections of this process, with an open data channel between them.
struct ConnectedPair {
    let offerer: PeerConnection
    let answerer: PeerConnection
    let channel: DataChannel
    let forwarding: [Task<Void, Never>]

    /// Connects over loopback, the signals handed over directly.
    static func connect() async throws -> ConnectedPair {
        var configuration = PeerConnection.Configuration()
        configuration.network.bindAddress = .init(127, 0, 0, 1)
        configuration.negotiation = .perfect(isPolite: false)
        let offerer = try PeerConnection(configuration: configuration)
        configuration.negotiation = .perfect(isPolite: true)
        let answerer = try PeerConnection(configuration: configuration)
        let forwarding = [forward(offerer.signals, to: answerer), forward(answerer.signals, to: offerer)]
        let channel = try await offerer.createDataChannel("data")
        try await channel.waitUntilOpen()
        return ConnectedPair(offerer: offerer, answerer: answerer, channel: channel, forwarding: forwarding)
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
