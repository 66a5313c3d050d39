internal import RTCSignaling
internal import RTCWire

/// The topic of VoIP pushes of an app.
struct APNSTopic: Sendable {
    /// `org.example.Calls.voip`
    let name: String

    /// - Parameter bundle: The bundle identifier of the app.
    /// - Throws: ``SignalingServerError`` if it is none.
    init(bundle: String) throws(SignalingServerError) {
        let isValid =
            (1...155).contains(bundle.utf8.count) && !bundle.hasPrefix(".") && !bundle.hasSuffix(".")
            && bundle.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte & 0xDF) || byte == 45 || byte == 46
            }
        guard isValid else {
            throw .setting("“\(bundle.prefix(100))” is no bundle identifier, such as org.example.Calls")
        }
        guard !bundle.hasSuffix(".voip") else {
            throw .setting("the topic is the bundle identifier, without “.voip” at its end")
        }
        name = bundle + ".voip"
    }
}

/// A request to Apple's push service, without its body (“Sending notification requests to APNs”).
struct APNSRequest {
    let push: DevicePush
    let topic: APNSTopic
    /// The token of the provider.
    let token: String
    /// The current time in seconds since 1970.
    let time: Int64

    /// The largest body of a VoIP push, in bytes.
    static let largestBody = 5_120

    var path: String { "/3/device/\(push.token.rawValue)" }

    var headers: [(String, String)] {
        [
            ("authorization", "bearer \(token)"),
            ("apns-topic", topic.name),
            ("apns-push-type", "voip"),
            // At once: a call is no news later.
            ("apns-priority", "10"),
            // Not kept for a device that is reached only when the call is over.
            ("apns-expiration", "\(time + max(1, push.timeLeft.components.seconds))"),
            // A repetition takes the place of a push that waits.
            ("apns-collapse-id", push.call.id.rawValue),
        ]
    }
}

/// The answer of Apple's push service (“Handling notification responses from APNs”).
struct APNSAnswer: Equatable {
    var status: Int
    /// The member `reason` of the body; empty if there is none.
    var reason = ""
    /// The member `timestamp`: since when a token is dead, in milliseconds since 1970.
    var timestamp: Int64?

    /// Whether the token of the provider is too old.
    var isExpiredProviderToken: Bool { status == 403 && reason == "ExpiredProviderToken" }

    /// Whether the connection is about to end: another one serves the next attempt.
    var endsConnection: Bool { status == 503 && reason == "Shutdown" }

    /// The service asks for that after a failure of its own. A call does not ring that long.
    static let serverFailureDelay: Duration = .seconds(15 * 60)
    static let busyDelay: Duration = .seconds(2)

    /// - Parameters:
    ///   - time: The current time in seconds since 1970.
    ///   - hasDelivered: Whether the service has accepted a push for this topic. Until then, each token may be of
    ///     the other environment or topic because the configuration is wrong, and none is dropped for that.
    func outcome(at time: Int64, hasDelivered: Bool) -> PushOutcome {
        switch (status, reason) {
        case (200, _): .delivered
        case (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"): hasDelivered ? .deadToken(since: nil) : .refused
        case (410, _): .deadToken(since: age(at: time))
        // A new token comes when it may.
        case (403, "ExpiredProviderToken"), (429, _): .failed(retryAfter: Self.busyDelay)
        case (503, "Shutdown"): .failed()
        case (500..<600, _): .failed(retryAfter: Self.serverFailureDelay)
        default: .refused
        }
    }

    private func age(at time: Int64) -> Duration? {
        guard let timestamp, timestamp > 0 else { return nil }
        let (now, overflow) = time.multipliedReportingOverflow(by: 1_000)
        guard !overflow, timestamp < now else { return .zero }
        return .milliseconds(now - timestamp)
    }

    /// What an operator should do; `nil` for what happens every day.
    var advice: String? {
        switch (status, reason) {
        case (200, _), (410, _), (429, "TooManyRequests"), (503, "Shutdown"): nil
        case (400, "BadDeviceToken"): "a token is of the other environment: see --apns-sandbox"
        case (400, "DeviceTokenNotForTopic"), (400, "TopicDisallowed"), (400, "BadTopic"): "see --apns-topic"
        case (403, "ExpiredProviderToken"): "see the clock of this machine"
        case (403, _): "see --apns-key, --apns-key-id and --apns-team"
        default: "see Apple's documentation of its answers"
        }
    }

    /// The reason for a log: only words that Apple may have written.
    var loggedReason: String {
        let letters = reason.utf8.allSatisfy { (65...90).contains($0 & 0xDF) }
        return letters && reason.utf8.count <= 40 ? reason : ""
    }
}
