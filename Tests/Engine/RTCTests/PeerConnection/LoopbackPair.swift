import RTC
import RTCPeer

/// Two connections of this process over loopback, their signals handed to each other.
struct LoopbackPair {
    let offerer: PeerConnection
    let answerer: PeerConnection
    private let forwarding: [Task<Void, Never>]

    static func configuration(_ change: (inout PeerConnection.Configuration) -> Void = { _ in })
        -> PeerConnection.Configuration
    {
        var configuration = PeerConnection.Configuration()
        configuration.network.bindAddress = .init(127, 0, 0, 1)
        change(&configuration)
        return configuration
    }

    init(_ change: (inout PeerConnection.Configuration) -> Void = { _ in }) throws {
        offerer = try PeerConnection(
            configuration: Self.configuration {
                $0.negotiation = .perfect(isPolite: false)
                change(&$0)
            })
        answerer = try PeerConnection(
            configuration: Self.configuration {
                $0.negotiation = .perfect(isPolite: true)
                change(&$0)
            })
        forwarding = [Self.forward(offerer, to: answerer), Self.forward(answerer, to: offerer)]
    }

    private static func forward(_ source: PeerConnection, to target: PeerConnection) -> Task<Void, Never> {
        let signals = source.signals
        return Task { [weak target] in
            for await signal in signals { try? await target?.receive(signal) }
        }
    }

    /// The next channel that the other side opens on `connection`.
    static func incoming(_ connection: PeerConnection) -> Task<DataChannel?, Never> {
        let events = connection.events
        return Task {
            for await case .dataChannel(let channel) in events { return channel }
            return nil
        }
    }

    func close() async {
        await offerer.close()
        await answerer.close()
    }
}
