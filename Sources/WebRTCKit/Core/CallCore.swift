internal import RTCPeer

/// The rules of a kit's calls, as a value: what the app, the signalling and the connection do goes in, what is to be done
/// comes out. It reads no clock: time is an argument, counted from any moment.
///
/// There is at most one call. docs/webrtckit.md is the specification.
struct CallCore: Sendable {
    struct Settings: Sendable {
        /// How long a call may be `connecting`, the first time and after each loss.
        var connectionTimeout: Duration = .seconds(30)
        /// How long a call may ring, here or there.
        var ringTimeout: Duration = .seconds(60)
        var acceptsAutomatically = false
    }

    /// Tells a call's connection from those of earlier calls, whose last events may still come.
    typealias ConnectionNumber = Int

    /// What the app wants.
    enum Action: Sendable {
        case call(PeerID, media: [CallMedia])
        case answer(accept: Bool)
        case end
    }

    /// What the signalling brought.
    enum SignalingEvent: Sendable {
        case signal([UInt8], from: PeerID, isPolite: Bool)
        case candidate([UInt8], from: PeerID)
        case endCall(from: PeerID)
        case shouldConnect(to: PeerID)
        case opened
        case closed
        /// What the core wanted sent could not be; `message` is for a person.
        case sendingFailed(Outgoing, to: PeerID, message: String)
    }

    /// What the connection did.
    enum ConnectionEvent: Sendable {
        /// A description or a candidate of ours.
        case signal(Signal)
        case state(ConnectionState)
        /// It could not be opened, or a description could not be used.
        case failed(String)
        /// Our certificate's and the other's SHA-256 fingerprints, once DTLS has verified them.
        case fingerprints(local: [UInt8], remote: [UInt8])
    }

    enum NetworkEvent: Sendable {
        /// The machine has other addresses now.
        case changed
        case lost
        case restored
    }

    /// What goes through the signalling.
    enum Outgoing: Sendable, Hashable {
        case signal([UInt8])
        case candidate([UInt8])
        case endCall
    }

    /// What is to be done, in this order.
    enum Effect: Sendable {
        /// Makes a connection that sends what is recorded. A callee's waits for the offer.
        case open(ConnectionNumber, isPolite: Bool, waitsForOffer: Bool)
        case setPolite(ConnectionNumber, Bool)
        /// Gives the connection what the other peer signalled.
        case receive(ConnectionNumber, Signal)
        case restartICE(ConnectionNumber)
        /// Closes it and frees everything of the call.
        case close(ConnectionNumber)
        case send(Outgoing, to: PeerID)
        case report(Report)
    }

    /// What the app is told.
    enum Report: Sendable, Equatable {
        case incomingCall(from: PeerID, media: [CallMedia])
        /// The other side's person is being told.
        case ringing
        case started
        case connectionLost
        case connectionRestored
        case verificationCode(VerificationCode)
        case ended(CallManagerError?)
    }
}
