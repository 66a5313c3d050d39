internal import RTCPeer
internal import RTCTransport
internal import RTCWire
internal import Synchronization

// Conversions between the types of the engine and of the cores.

extension RTCError {
    init(_ error: DataChannelError) {
        let code: Code =
            switch error.code {
            case .messageTooLarge: .messageTooLarge
            case .closed, .notOpen: .channelClosed
            case .sendBufferFull: .sendBufferFull
            default: .invalidArgument
            }
        self.init(code: code, message: error.message)
    }
}

extension RTCError {
    init(_ failure: ConnectionFailure) {
        let code: Code =
            switch failure {
            case .noSocket: .network
            case .noPath, .dtls: .connectionFailed
            case .internal: .internalError
            }
        self.init(code: code, message: failure.description)
    }

    /// Runs `body`, and converts errors of the negotiator to those of this API.
    static func translating<Result>(_ body: () throws(NegotiationError) -> Result) throws(RTCError) -> Result {
        do throws(NegotiationError) {
            return try body()
        } catch {
            let code: Code =
                switch error.code {
                case .invalidState, .noOfferToAnswer, .noRemoteDescription: .invalidState
                case .invalidCandidate, .unknownUsernameFragment: .invalidCandidate
                default: .invalidDescription
                }
            throw RTCError(code: code, message: error.message)
        }
    }
}

extension DataChannel.State {
    init(_ state: DataChannelState) {
        switch state {
        case .connecting: self = .connecting
        case .open: self = .open
        case .closing: self = .closing
        case .closed: self = .closed
        }
    }
}

extension DataChannel.Shared {
    var currentState: DataChannel.State { state.withLock { $0 } }
    var currentStreamID: UInt16? { streamID.withLock { $0 } }

    func update(state new: DataChannel.State, streamID id: UInt16?) {
        state.withLock { $0 = new }
        streamID.withLock { $0 = id }
    }
}

extension DataChannelMessage {
    init(_ message: DataChannel.Message) {
        switch message {
        case .text(let text): self.init(bytes: Array(text.utf8), isText: true)
        case .binary(let bytes): self.init(bytes: bytes, isText: false)
        }
    }
}

extension DataChannel.Message {
    /// Replaces invalid UTF-8 in a text by U+FFFD, as browsers do.
    init(_ message: DataChannelMessage) {
        self = message.isText ? .text(String(decoding: message.bytes, as: UTF8.self)) : .binary(message.bytes)
    }
}

extension DataChannelParameters {
    init(label: String, options: DataChannelOptions) {
        self.init(label: label)
        self.protocol = options.protocol
        ordered = options.isOrdered
        maxRetransmits = options.maxRetransmits
        maxPacketLifeTime = options.maxPacketLifeTime.map { TimeDelta($0) }
        negotiatedID = options.negotiatedID
        priority = DataChannelPriority(rawValue: options.priority)
    }
}

extension DataChannelOptions {
    init(_ parameters: DataChannelParameters) {
        self.init()
        self.protocol = parameters.protocol
        isOrdered = parameters.ordered
        maxRetransmits = parameters.maxRetransmits
        maxPacketLifeTime = parameters.maxPacketLifeTime.map { .nanoseconds($0.nanoseconds) }
        negotiatedID = parameters.negotiatedID
        priority = parameters.priority.rawValue
    }
}
