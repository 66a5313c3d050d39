import RTC
import RTCSignaling

/// What one run of `duet call` or `duet answer` is to do.
struct CallSettings: Sendable {
    enum Role: Sendable {
        case call(SignalingAddress, Calling)
        case answer(Answering)
    }

    struct Calling: Sendable {
        /// In seconds: how long it may ring at the other side.
        var lifetime = Invite.defaultLifetime
    }

    struct Answering: Sendable {
        /// How long it rings before the call is taken.
        var ringing: Duration = .zero
        /// Whether calls are declined.
        var rejects = false
        /// Whether to wait for the next call when one is over.
        var stays = false
    }

    enum Window: Sendable {
        case none
        /// If there can be one.
        case wished
        case required
    }

    var role: Role
    /// From the moment on that the connection is there.
    var duration: Duration?
    var chat: [String] = []
    var isJSON = false
    var playsSound = false
    var window = Window.none
    /// A file.
    var recording: String?
    var media = PeerConnection.MediaConfiguration()

    init(role: Role) {
        self.role = role
    }

    /// The longest time without a path after which a call is over.
    static let patience = Duration.seconds(30)
    /// The same when the other side's signalling is away too.
    static let patienceWithAbsent = Duration.seconds(12)
    /// How long a path may be disconnected before another one is looked for.
    static let disconnectedLimit = Duration.seconds(2)
    /// And how long until the next try.
    static let restartInterval = Duration.seconds(8)
}
