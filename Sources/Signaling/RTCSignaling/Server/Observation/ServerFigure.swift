internal import PrometheusMetrics

/// A metric of the server with its present values: a row of the table in docs/servers.md.
struct ServerFigure {
    let name: String
    let help: String
    let kind: MetricRegistry.Kind
    /// One value, or one for each value of a label. Labels are only identifiers of the server's own.
    let samples: [(label: (name: String, value: String)?, value: UInt64)]

    private init(
        _ name: String, _ help: String, _ kind: MetricRegistry.Kind,
        _ samples: [(label: (name: String, value: String)?, value: UInt64)]
    ) {
        self.name = "duet_signaling_\(name)"
        self.help = help
        self.kind = kind
        self.samples = samples
    }

    fileprivate static func gauge(_ name: String, _ help: String, _ value: Int) -> ServerFigure {
        ServerFigure(name, help, .gauge, [(nil, UInt64(clamping: value))])
    }

    fileprivate static func counter(_ name: String, _ help: String, _ value: UInt64) -> ServerFigure {
        ServerFigure(name, help, .counter, [(nil, value)])
    }

    fileprivate static func counter(
        _ name: String, _ help: String, label: String, _ values: [String: UInt64]
    ) -> ServerFigure {
        ServerFigure(name, help, .counter, values.map { (label: (name: label, value: $0.key), value: $0.value) })
    }
}

extension ServerStatistics {
    /// All of them as metrics; those of pushes only if there are pushes.
    var figures: [ServerFigure] {
        let own: [ServerFigure] = [
            .gauge("sockets", "Open sockets", sockets),
            .gauge("sessions", "Devices that are signed in", exchange.sessions),
            .gauge("users", "Users with a session", exchange.users),
            .gauge("sessions_away", "Sessions without a socket", exchange.sessionsAway),
            .gauge("calls_ringing", "Calls that ring", exchange.callsRinging),
            .gauge("calls_running", "Calls that were answered and are not over", exchange.callsRunning),
            .counter("sockets_accepted_total", "Sockets that were accepted", socketsAccepted),
            .counter("sockets_refused_total", "Sockets for which there was no room", socketsRefused),
            .counter("websockets_total", "Sockets that became WebSockets", webSockets),
            .counter("forwarding_malformed_total", "Malformed values of trusted proxies", malformedForwarding),
            .counter(
                "clients_unknown_total", "Requests of trusted proxies without a client's address", unknownClients),
            .counter("http_requests_total", "Requests for pages and files", requests),
            .counter("messages_received_total", "Messages from clients", messagesReceived),
            .counter("messages_sent_total", "Messages to clients", messagesSent),
            .counter("pauses_total", "Times that a socket was not read because it sent too much", pauses),
            .counter("sign_ins_total", "New sessions", exchange.signIns),
            .counter("resumptions_total", "Sessions that came back", exchange.resumptions),
            .counter("resumptions_failed_total", "Sessions that could not come back", exchange.resumptionsFailed),
            .counter("duplicates_total", "Messages that came twice", exchange.duplicates),
            .counter("invites_total", "Invitations", exchange.invites),
            .counter("answers_total", "Answers", exchange.answers),
            .counter("glares_total", "Invitations that crossed", exchange.glares),
            .counter("errors_total", "Errors that clients were told", exchange.errors),
            .counter("shed_total", "Sessions that ended for want of room", exchange.sessionsEvicted),
            .counter("drains_total", "Times that the server began to send its clients away", drains),
            .counter("refusals_total", "Refused connections and requests", label: "reason", refusals),
            .counter("failures_total", "Sockets closed for a mistake", label: "code", failures),
            .counter("calls_ended_total", "Calls that are over", label: "ending", exchange.endings),
        ]
        return own + (pushes?.figures ?? [])
    }

    /// The metrics in one of Prometheus's formats.
    func text(_ format: MetricText) -> String {
        var registry = MetricRegistry()
        for figure in figures {
            for sample in figure.samples {
                let labels = sample.label.map { [MetricRegistry.Label($0.name, $0.value)] } ?? []
                guard let key = registry.register(figure.name, figure.kind, labels, help: figure.help) else { continue }
                // Both kinds begin with zero.
                registry.add(Double(sample.value), to: key)
            }
        }
        return format.text(of: registry)
    }
}

extension PushStatistics {
    fileprivate var figures: [ServerFigure] {
        [
            .gauge("push_tokens", "Devices with a push token", tokens),
            .gauge("pushes_waiting", "Pushes and events that are being sent, or wait", waiting),
            .counter("push_attempts_total", "Attempts to send a push or an event", attempts),
            .counter("pushes_delivered_total", "Pushes and events that arrived at their service", delivered),
            .counter("pushes_failed_total", "Pushes and events that were given up", failed),
            .counter("pushes_cancelled_total", "Pushes that were dropped with their call", cancelled),
            .counter("push_tokens_dead_total", "Push tokens without a device", deadTokens),
            .counter("pushes_limited_total", "Calls that woke nobody because of a limit", limited),
        ]
    }
}
