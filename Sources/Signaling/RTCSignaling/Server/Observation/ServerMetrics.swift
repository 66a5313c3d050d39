internal import CoreMetrics
internal import NIOCore

/// Reports a server's ``ServerStatistics`` to a back end of swift-metrics, and the times that the statistics do not have.
///
/// The statistics own the figures: once in each sweep, counters get what was added since the last one. Labels are only identifiers of
/// the server's own.
final class ServerMetrics {
    /// What a metric is: a row of the table in docs/servers.md.
    struct Description {
        var name: String
        var help: String
        /// The name of its only label.
        var label: String?
    }

    /// Whether there is a back end at all.
    let isEnabled: Bool
    private let factory: any MetricsFactory
    private var gauges: [String: Gauge] = [:]
    private var counters: [String: Total] = [:]
    private let signalTimer: Timer
    private let delayTimer: Timer

    private struct Total {
        let counter: Counter
        var last: UInt64 = 0
    }

    /// The time between two measurements of the event loop's delay.
    private static let probePause = TimeAmount.milliseconds(250)

    init(_ factory: (any MetricsFactory)?) {
        let factory = factory ?? MetricsSystem.factory
        self.factory = factory
        isEnabled = !(factory is NOOPMetricsHandler)
        signalTimer = Timer(label: Self.signal.name, factory: factory)
        delayTimer = Timer(label: Self.loopDelay.name, factory: factory)
        // So that all of them are there from the beginning.
        if isEnabled { sample(ServerStatistics()) }
    }

    /// Counts the time from a message's arrival until what it causes is on its way.
    func served(since arrival: NIODeadline) {
        guard isEnabled else { return }
        signalTimer.recordNanoseconds((NIODeadline.now() - arrival).nanoseconds)
    }

    /// Measures how late the event loop is, from now on.
    func watch(_ loop: any EventLoop) -> RepeatedTask? {
        guard isEnabled else { return nil }
        let pause = Self.probePause
        let probe = NIOLoopBoundBox((metrics: self, due: loop.now + pause), eventLoop: loop)
        return loop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { _ in
            let late = NIODeadline.now() - probe.value.due
            probe.value.metrics.delayTimer.recordNanoseconds(max(0, late.nanoseconds))
            probe.value.due = NIODeadline.now() + pause
        }
    }

    /// Reports the current figures.
    func sample(_ statistics: ServerStatistics) {
        for figure in Self.gauges {
            gauge(figure.description.name).record(figure.value(statistics))
        }
        for figure in Self.counters {
            count(figure.description.name, [], figure.value(statistics))
        }
        for figure in Self.labelled {
            guard let label = figure.description.label else { continue }
            for (reason, value) in figure.value(statistics) {
                count(figure.description.name, [(label, reason)], value)
            }
        }
    }

    private func gauge(_ name: String) -> Gauge {
        if let gauge = gauges[name] { return gauge }
        let gauge = Gauge(label: name, factory: factory)
        gauges[name] = gauge
        return gauge
    }

    private func count(_ name: String, _ labels: [(String, String)], _ value: UInt64) {
        let key = name + (labels.first.map { " \($0.1)" } ?? "")
        var total = counters[key] ?? Total(counter: Counter(label: name, dimensions: labels, factory: factory))
        if value > total.last { total.counter.increment(by: Int64(clamping: value - total.last)) }
        total.last = value
        counters[key] = total
    }
}

// MARK: - The figures

extension ServerMetrics {
    private struct Figure<Value: Sendable>: Sendable {
        var description: Description
        var value: @Sendable (ServerStatistics) -> Value

        init(
            _ name: String, _ help: String, label: String? = nil,
            _ value: @escaping @Sendable (ServerStatistics) -> Value
        ) {
            description = Description(name: "duet_signaling_\(name)", help: help, label: label)
            self.value = value
        }
    }

    /// All metrics.
    static var descriptions: [Description] {
        gauges.map(\.description) + counters.map(\.description) + labelled.map(\.description) + [signal, loopDelay]
    }

    private static let signal = Description(
        name: "duet_signaling_message",
        help: "Seconds from a message's arrival until what it causes is on its way to its receivers")
    private static let loopDelay = Description(
        name: "duet_signaling_event_loop_delay", help: "Seconds by which the event loop is late")

    private static let gauges: [Figure<Int>] = [
        Figure("sockets", "Open sockets") { $0.sockets },
        Figure("sessions", "Devices that are signed in") { $0.exchange.sessions },
        Figure("users", "Users with a session") { $0.exchange.users },
        Figure("sessions_away", "Sessions without a socket") { $0.exchange.sessionsAway },
        Figure("calls_ringing", "Calls that ring") { $0.exchange.callsRinging },
        Figure("calls_running", "Calls that were answered and are not over") { $0.exchange.callsRunning },
    ]

    private static let counters: [Figure<UInt64>] = [
        Figure("sockets_accepted_total", "Sockets that were accepted") { $0.socketsAccepted },
        Figure("sockets_refused_total", "Sockets for which there was no room") { $0.socketsRefused },
        Figure("websockets_total", "Sockets that became WebSockets") { $0.webSockets },
        Figure("forwarding_malformed_total", "Malformed values of trusted proxies") { $0.malformedForwarding },
        Figure("clients_unknown_total", "Requests of trusted proxies without a client's address") {
            $0.unknownClients
        },
        Figure("http_requests_total", "Requests for pages and files") { $0.requests },
        Figure("messages_received_total", "Messages from clients") { $0.messagesReceived },
        Figure("messages_sent_total", "Messages to clients") { $0.messagesSent },
        Figure("pauses_total", "Times that a socket was not read because it sent too much") { $0.pauses },
        Figure("sign_ins_total", "New sessions") { $0.exchange.signIns },
        Figure("resumptions_total", "Sessions that came back") { $0.exchange.resumptions },
        Figure("resumptions_failed_total", "Sessions that could not come back") { $0.exchange.resumptionsFailed },
        Figure("duplicates_total", "Messages that came twice") { $0.exchange.duplicates },
        Figure("invites_total", "Invitations") { $0.exchange.invites },
        Figure("answers_total", "Answers") { $0.exchange.answers },
        Figure("glares_total", "Invitations that crossed") { $0.exchange.glares },
        Figure("errors_total", "Errors that clients were told") { $0.exchange.errors },
        Figure("shed_total", "Sessions that ended for want of room") { $0.exchange.sessionsEvicted },
        Figure("drains_total", "Times that the server began to send its clients away") { $0.drains },
    ]

    private static let labelled: [Figure<[String: UInt64]>] = [
        Figure("refusals_total", "Refused connections and requests", label: "reason") { $0.refusals },
        Figure("failures_total", "Sockets closed for a mistake", label: "code") { $0.failures },
        Figure("calls_ended_total", "Calls that are over", label: "ending") { $0.exchange.endings },
    ]
}
