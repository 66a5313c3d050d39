/// The statistics of a ``SignalingServer``: counters since its start, unless stated otherwise.
public struct ServerStatistics: Sendable {
    /// The current number of connections.
    public var sockets = 0
    public var socketsAccepted: UInt64 = 0
    /// The number of connections that were refused because of a limit, in total or of their network.
    public var socketsRefused: UInt64 = 0
    /// The number of refused connections and requests by reason: `full`, `network` and `stopping` for connections, `host`,
    /// `origin` and `draining` for requests.
    public var refusals: [String: UInt64] = [:]
    /// How often the server began to send its clients away.
    public var drains: UInt64 = 0
    public var webSockets: UInt64 = 0
    /// The number of malformed values of trusted proxies, which were ignored.
    public var malformedForwarding: UInt64 = 0
    /// The number of requests and connections of trusted proxies without the address of the client.
    public var unknownClients: UInt64 = 0
    public var requests: UInt64 = 0
    public var messagesReceived: UInt64 = 0
    public var messagesSent: UInt64 = 0
    /// How often reading from a connection was paused because it exceeded its rate.
    public var pauses: UInt64 = 0
    /// The number of connections that were closed because of an error, by its code.
    public var failures: [String: UInt64] = [:]
    public var exchange = ExchangeStatistics()
    /// `nil` without pushes.
    public var pushes: PushStatistics?

    public init() {}

    /// The metrics in the text format of Prometheus, version 0.0.4.
    var prometheus: String {
        var text = MetricsText()
        text.add("sockets", .gauge, "Open sockets", sockets)
        text.add("sessions", .gauge, "Devices that are signed in", exchange.sessions)
        text.add("users", .gauge, "Users with a session", exchange.users)
        text.add("sessions_away", .gauge, "Sessions without a socket", exchange.sessionsAway)
        text.add("calls_ringing", .gauge, "Calls that ring", exchange.callsRinging)
        text.add("calls_running", .gauge, "Calls that were answered and are not over", exchange.callsRunning)
        text.add("sockets_accepted_total", .counter, "Sockets that were accepted", socketsAccepted)
        text.add("sockets_refused_total", .counter, "Sockets for which there was no room", socketsRefused)
        text.add("websockets_total", .counter, "Sockets that became WebSockets", webSockets)
        text.add(
            "forwarding_malformed_total", .counter, "Malformed values of trusted proxies", malformedForwarding)
        text.add(
            "clients_unknown_total", .counter, "Requests of trusted proxies without a client's address", unknownClients)
        text.add("http_requests_total", .counter, "Requests for pages and files", requests)
        text.add("messages_received_total", .counter, "Messages from clients", messagesReceived)
        text.add("messages_sent_total", .counter, "Messages to clients", messagesSent)
        text.add("pauses_total", .counter, "Times that a socket was not read because it sent too much", pauses)
        text.add("sign_ins_total", .counter, "New sessions", exchange.signIns)
        text.add("resumptions_total", .counter, "Sessions that came back", exchange.resumptions)
        text.add(
            "resumptions_failed_total", .counter, "Sessions that could not come back", exchange.resumptionsFailed)
        text.add("drains_total", .counter, "Times that the server began to send its clients away", drains)
        text.add("duplicates_total", .counter, "Messages that came twice", exchange.duplicates)
        text.add("invites_total", .counter, "Invitations", exchange.invites)
        text.add("answers_total", .counter, "Answers", exchange.answers)
        text.add("glares_total", .counter, "Invitations that crossed", exchange.glares)
        text.add("errors_total", .counter, "Errors that clients were told", exchange.errors)
        text.add("shed_total", .counter, "Sessions that ended for want of room", exchange.sessionsEvicted)
        text.add("refusals_total", .counter, "Refused connections and requests", "reason", refusals)
        text.add("failures_total", .counter, "Sockets closed for a mistake", "code", failures)
        text.add("calls_ended_total", .counter, "Calls that are over", "ending", exchange.endings)
        if let pushes { text.add(pushes) }
        return text.text
    }
}

private struct MetricsText {
    private(set) var text = ""

    enum Kind: String {
        case gauge, counter
    }

    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
        head(name, kind, help)
        text += "duet_signaling_\(name) \(value)\n"
    }

    mutating func add(_ pushes: PushStatistics) {
        add("push_tokens", .gauge, "Devices with a push token", pushes.tokens)
        add("pushes_waiting", .gauge, "Pushes and events that are being sent, or wait", pushes.waiting)
        add("push_attempts_total", .counter, "Attempts to send a push or an event", pushes.attempts)
        add("pushes_delivered_total", .counter, "Pushes and events that arrived at their service", pushes.delivered)
        add("pushes_failed_total", .counter, "Pushes and events that were given up", pushes.failed)
        add("pushes_cancelled_total", .counter, "Pushes that were dropped with their call", pushes.cancelled)
        add("push_tokens_dead_total", .counter, "Push tokens without a device", pushes.deadTokens)
        add("pushes_limited_total", .counter, "Calls that woke nobody because of a limit", pushes.limited)
    }

    /// - Parameter values: By label value, which is an identifier of the protocol and needs no escaping.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ label: String, _ values: [String: UInt64]) {
        guard !values.isEmpty else { return }
        head(name, kind, help)
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            text += "duet_signaling_\(name){\(label)=\"\(key)\"} \(value)\n"
        }
    }

    private mutating func head(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP duet_signaling_\(name) \(help)\n# TYPE duet_signaling_\(name) \(kind.rawValue)\n"
    }
}
