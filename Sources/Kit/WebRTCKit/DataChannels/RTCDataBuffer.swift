public import Foundation
internal import RTC

/// A message of a data channel.
public struct RTCDataBuffer: Sendable, Hashable {
    /// The payload; text is encoded in UTF-8. It may be empty.
    public let data: Data
    /// Whether the message is binary, not text.
    public let isBinary: Bool

    public init(data: Data, isBinary: Bool) {
        self.data = data
        self.isBinary = isBinary
    }
}

extension RTCDataBuffer {
    init(_ message: DataChannel.Message) {
        switch message {
        case .text(let text): self.init(data: Data(text.utf8), isBinary: false)
        case .binary(let bytes): self.init(data: Data(bytes), isBinary: true)
        }
    }

    /// The engine's message; invalid UTF-8 in a text is replaced.
    var message: DataChannel.Message {
        isBinary ? .binary([UInt8](data)) : .text(String(decoding: data, as: UTF8.self))
    }
}
