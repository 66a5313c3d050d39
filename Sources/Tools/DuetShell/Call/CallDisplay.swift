import Foundation
import RTC
import RTCWire
import Synchronization
import WebRTCKit

/// Shows a call to a person: a line per event, and below them a table, redrawn in place on a terminal and printed every few
/// seconds elsewhere.
final class CallDisplay: CallReporter {
    private struct State {
        /// The number of table lines on the screen.
        var drawn = 0
        var lastPrinted: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let isTerminal: Bool
    private static let interval = Duration.seconds(5)

    init() {
        isTerminal = isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    func show(_ report: CallReport) {
        switch report {
        case .figures(let figures, let connection, let seconds, _):
            draw(CallTable.lines(figures, state: connection.rawValue, seconds: seconds))
        case .ended(let summary):
            line(summary.outcome.sentence(summary.peer))
            for text in summary.lines { line(text) }
        default:
            if let text = Self.text(report) { line(text) }
        }
    }

    func finish() async {}

    static func text(_ report: CallReport) -> String? {
        switch report {
        case .signedIn(let address): "Signed in as \(address.prefix { $0 != "/" })."
        case .waiting: "Waiting for a call. Press Ctrl-C to end."
        case .calling(let call, _): "Calling \(call.peer.displayName)…"
        case .incoming(let call): "\(call.peer.displayName) calls."
        case .ringing(let peer): "It rings at \(peer)."
        case .answered(let peer): "Answered by \(peer.displayName)."
        case .connection(.connected, let milliseconds, _): String(format: "Connected after %.0f ms.", milliseconds)
        case .connection(.disconnected, _, _): "The path is interrupted."
        case .connection(.failed, _, let reason):
            "The path failed\(reason.map { ": \(PrintableText.replacing($0))" } ?? "")."
        case .firstPicture(let milliseconds, _, let width, let height):
            String(format: "First picture after %.0f ms, %d×%d.", milliseconds, width, height)
        case .verification(let status): status.line
        case .quality(let quality): quality.line
        case .chat(let peer, let text): "\(peer): \(PrintableText.replacing(text))"
        case .device(let report): PrintableText.replacing(report.message)
        case .chatSent(let text): "me: \(PrintableText.replacing(text))"
        case .server(_, let text), .trouble(let text), .note(let text): PrintableText.replacing(text)
        case .peer("away"): "The other side has lost its server."
        case .peer("gone"): "The other side has left its server; the call goes on."
        default: nil
        }
    }

    private func line(_ text: String) {
        state.withLock { state in
            write(erase(&state) + text + "\n")
        }
    }

    private func draw(_ lines: [String]) {
        let now = ContinuousClock.now
        state.withLock { state in
            if isTerminal {
                // A wrapped line would count as two when the table is redrawn.
                let width = Self.width
                write(erase(&state) + lines.map { $0.prefix(width) + "\n" }.joined())
                state.drawn = lines.count
            } else if state.lastPrinted.map({ $0.duration(to: now) >= Self.interval - .milliseconds(100) }) ?? true {
                state.lastPrinted = now
                write(lines.map { $0 + "\n" }.joined())
            }
        }
    }

    private static var width: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 20 else { return 79 }
        return Int(size.ws_col) - 1
    }

    /// Removes the table from the screen.
    private func erase(_ state: inout State) -> String {
        defer { state.drawn = 0 }
        return state.drawn > 0 ? "\u{1B}[\(state.drawn)A\r\u{1B}[J" : ""
    }

    private func write(_ text: String) {
        // Standard output may be closed; the exit status still reports the result.
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }
}
