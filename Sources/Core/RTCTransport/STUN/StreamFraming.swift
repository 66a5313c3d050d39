internal import RTCWire

/// The format of messages in a byte stream.
package enum StreamFraming: Sendable, Hashable {
    /// STUN messages and TURN channel data (RFC 8656, section 12.5): each says its own length; channel data is padded to
    /// four bytes.
    case turn
    /// A length of 16 bits before each packet (RFC 4571, section 2), as ICE-TCP has it (RFC 6544, section 10).
    case lengthPrefixed
    /// STUN messages alone, on a connection to a STUN server (RFC 8489, section 6.2.2).
    case stun

    enum Size: Hashable {
        /// Bytes of the whole frame.
        case known(Int)
        /// More bytes are needed to decide.
        case unknown
        /// These bytes cannot begin a frame: the stream is unusable.
        case malformed
    }

    /// The size of the frame that begins `bytes`.
    func size(_ bytes: UnsafeRawBufferPointer) -> Size {
        let bytes = bytes.bytes
        switch self {
        case .lengthPrefixed:
            guard let length = bytes.uint16(at: 0) else { return .unknown }
            return .known(2 + Int(length))
        case .turn, .stun:
            guard let first = bytes.byte(at: 0) else { return .unknown }
            if first < 4 {
                if let cookie = bytes.uint32(at: 4), cookie != STUNMessage.magicCookie { return .malformed }
                guard let length = bytes.uint16(at: 2) else { return .unknown }
                guard length % 4 == 0 else { return .malformed }
                return bytes.byteCount < 8 ? .unknown : .known(STUNMessage.headerSize + Int(length))
            }
            guard self == .turn, TURNChannelData.firstBytes.contains(first) else { return .malformed }
            guard let length = bytes.uint16(at: 2) else { return .unknown }
            return .known(TURNChannelData.headerSize + (Int(length) + 3) & ~3)
        }
    }

    /// The size of the prefix that is not part of the message: RFC 4571's length.
    var prefixSize: Int { self == .lengthPrefixed ? 2 : 0 }
}

/// Finds the messages in the pieces of a byte stream.
///
/// A message within one piece is returned in place. Only an incomplete message at the end of a piece is stored: at most
/// one, of slightly more than 64 KiB.
package struct StreamReassembly {
    package let framing: StreamFraming
    /// The start of an incomplete message.
    private var unfinished: [UInt8] = []
    package private(set) var isBroken = false

    package init(_ framing: StreamFraming) {
        self.framing = framing
    }

    /// Bytes that are kept.
    package var byteCount: Int { unfinished.count }

    package enum Message {
        /// In the piece itself.
        case borrowed(UnsafeRawBufferPointer)
        case copied([UInt8])
        /// The piece is used up.
        case none
    }

    /// Returns the next message, and removes it from the piece. Call it until ``Message/none``. If the stream is
    /// invalid, ``isBroken`` is set, and the rest is dropped.
    package mutating func next(in piece: inout UnsafeRawBufferPointer) -> Message {
        guard !isBroken else {
            piece = UnsafeRawBufferPointer(rebasing: piece.suffix(0))
            return .none
        }
        while !unfinished.isEmpty, !piece.isEmpty {
            // Headers are short: byte by byte until the size is known.
            var wanted = unfinished.count + 1
            if case .known(let size) = unfinished.withUnsafeBytes({ framing.size($0) }) { wanted = size }
            let missing = max(wanted - unfinished.count, 0)
            unfinished.append(contentsOf: piece.prefix(missing))
            piece = UnsafeRawBufferPointer(rebasing: piece.dropFirst(missing))
            switch unfinished.withUnsafeBytes({ framing.size($0) }) {
            case .known(let size) where size == unfinished.count:
                var message = unfinished
                unfinished = []
                message.removeFirst(framing.prefixSize)
                return .copied(message)
            case .known, .unknown: break
            case .malformed:
                failStream()
                return .none
            }
        }
        guard unfinished.isEmpty, !piece.isEmpty else { return .none }
        switch framing.size(piece) {
        case .known(let size) where size <= piece.count:
            let message = UnsafeRawBufferPointer(rebasing: piece[framing.prefixSize..<size])
            piece = UnsafeRawBufferPointer(rebasing: piece.dropFirst(size))
            return .borrowed(message)
        case .known, .unknown:
            unfinished = Array(piece)
            piece = UnsafeRawBufferPointer(rebasing: piece.suffix(0))
        case .malformed: failStream()
        }
        return .none
    }

    private mutating func failStream() {
        isBroken = true
        unfinished = []
    }
}
