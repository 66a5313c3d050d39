import RTCTransport
import RTCWire

typealias ChannelLink = SimulatedLink<DataChannelTransport>

extension SimulatedLink where Endpoint == DataChannelTransport {
    /// Two ends that have not started.
    init(
        configuration: SCTPConfiguration = SCTPConfiguration(), other: SCTPConfiguration? = nil,
        conditions: LinkConditions = LinkConditions(), seed: UInt64 = 1
    ) {
        let random = SeededRandom(seed: seed &+ 2_000)
        self.init(
            DataChannelTransport(configuration: configuration, random: random),
            DataChannelTransport(configuration: other ?? configuration, random: random), conditions: conditions,
            seed: seed)
    }

    /// Starts both ends: A as the DTLS client, B as the server.
    mutating func start(maximumMessageSize: Int = 262_144) {
        a.start(as: .client, remoteMaximumMessageSize: maximumMessageSize, at: now)
        b.start(as: .server, remoteMaximumMessageSize: maximumMessageSize, at: now)
    }
}

/// What an application saw of its data channels.
struct ChannelLog {
    typealias ID = DataChannelTransport.ChannelID

    var isAssociated = false
    var opened: [ID] = []
    var incoming: [ID] = []
    /// What the peer opened its channels with.
    var announced: [ID: DataChannelParameters] = [:]
    var messages: [(id: ID, message: DataChannelMessage)] = []
    var low: [ID] = []
    var closing: [ID] = []
    var closed: [ID] = []
    var hasEnded = false
    var failure: SCTPFailure?

    /// Takes all events that wait, and consumes the messages.
    mutating func take(_ transport: inout DataChannelTransport, at now: Instant) {
        while let event = transport.pollEvent() {
            switch event {
            case .associated: isAssociated = true
            case .opened(let id): opened.append(id)
            case .incoming(let id, let parameters):
                incoming.append(id)
                announced[id] = parameters
            case .message(let id, let message):
                transport.consumed(message.bytes.count, on: id, at: now)
                messages.append((id, message))
            case .bufferedAmountLow(let id): low.append(id)
            case .closing(let id): closing.append(id)
            case .closed(let id): closed.append(id)
            case .ended: hasEnded = true
            case .failed(let failure): self.failure = failure
            }
        }
    }

    func messages(on id: ID) -> [DataChannelMessage] { messages.filter { $0.id == id }.map(\.message) }
}
