internal import RTCWire

/// What waits to be written to the log: a line for each network, first come, first written, and the lines take turns.
///
/// So nobody waits behind what a network has sent before all others: an entry has at most a share of one network.
struct WaitingInputs {
    /// An input that waits.
    struct Input {
        /// `nil` if it has to be written in any case.
        var client: ExchangeReplica.Client?
        var isSignIn = false
        var bytes: [UInt8]
    }

    private struct Line {
        var inputs = RingBuffer<Input>()
        var bytes = 0
    }

    private var lines: [String: Line] = [:]
    /// The networks that have a line, the next one first.
    private var turns = RingBuffer<String>()
    /// The bytes of all inputs.
    private(set) var bytes = 0

    var isEmpty: Bool { turns.isEmpty }

    /// The bytes of one network's inputs.
    func bytes(of network: String) -> Int { lines[network]?.bytes ?? 0 }

    /// Adds an input at the end of a network's line.
    mutating func append(_ input: Input, of network: String) {
        if lines[network] == nil { turns.append(network) }
        lines[network, default: Line()].bytes += input.bytes.count
        lines[network, default: Line()].inputs.append(input)
        bytes += input.bytes.count
    }

    /// Removes what the next entry has: of each line in turn, until a share is used or the entry is full. Inputs of clients that are gone
    /// are passed over.
    ///
    /// - Parameters:
    ///   - most: The most inputs.
    ///   - mostBytes: No input is taken when there are as many bytes or more.
    ///   - share: The same for one line; its first input is always taken.
    mutating func take(atMost most: Int, bytes mostBytes: Int, ofEach share: Int) -> [Input] {
        var result: [Input] = []
        var taken = 0
        for _ in 0..<turns.count {
            guard result.count < most, taken < mostBytes, let network = turns.popFirst() else { break }
            guard var line = lines.removeValue(forKey: network) else { continue }
            var used = 0
            while used < share, result.count < most, taken < mostBytes, let next = line.inputs.popFirst() {
                line.bytes -= next.bytes.count
                bytes -= next.bytes.count
                if next.client?.isGone == true { continue }
                used += next.bytes.count
                taken += next.bytes.count
                result.append(next)
            }
            guard !line.inputs.isEmpty else { continue }
            lines[network] = line
            turns.append(network)
        }
        return result
    }
}
