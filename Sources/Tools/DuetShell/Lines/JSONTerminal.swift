import Foundation

/// An external input of a session, in the order of arrival.
package enum SessionInput: Sendable {
    case line([UInt8])
    case lineTooLong
    case endOfInput
    /// SIGINT or SIGTERM.
    case interrupted
    /// Standard output was closed.
    case outputClosed
}

/// Standard input and output as lines of JSON, together with the signals that end a process.
package struct JSONTerminal {
    package let inputs: AsyncStream<SessionInput>
    package let output: LineWriter

    package init() {
        let (inputs, continuation) = AsyncStream.makeStream(of: SessionInput.self)
        self.inputs = inputs
        output = LineWriter(STDOUT_FILENO) { continuation.yield(.outputClosed) }
        TerminationSignals.onTermination { continuation.yield(.interrupted) }
        LineReader.start(STDIN_FILENO) { element in
            switch element {
            case .line(let line): continuation.yield(.line(line))
            case .tooLong: continuation.yield(.lineTooLong)
            case .end: continuation.yield(.endOfInput)
            }
        }
    }
}
