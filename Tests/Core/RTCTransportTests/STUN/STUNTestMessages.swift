import RTCTransport
import RTCWire
import Testing

/// Writes a message for a test.
func stunMessage(
    _ messageClass: STUNClass, _ method: STUNMethod, _ id: STUNTransactionID, room: Int = 2_048,
    _ body: (inout STUNMessageWriter) -> Void
) -> [UInt8]? {
    var memory = [UInt8](repeating: 0xAA, count: room)
    let size: Int? = memory.withUnsafeMutableBytes { memory in
        var writer = STUNMessageWriter(memory, messageClass, method, id)
        body(&writer)
        return writer.finish()
    }
    return size.map { Array(memory[0..<$0]) }
}

/// Parses a message that has to be one.
@_lifetime(copy bytes)
func requireMessage(_ bytes: RawSpan) throws -> STUNMessage {
    guard let message = STUNMessage(bytes) else { throw STUNTestFailure() }
    return message
}

struct STUNTestFailure: Error {}

/// `#expect` for conditions that read a ``STUNMessage``: the macro cannot capture a value that must not escape.
func expectHolds(_ condition: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(condition, sourceLocation: sourceLocation)
}
