internal import RTCWire

/// Numbers DATA chunks; each direction has its own (RFC 9260, section 1.6).
struct TransmissionSequenceNumber: SerialNumber {
    var rawValue: UInt32

    init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }
}

/// Numbers the ordered messages of one stream (RFC 9260, section 6.5).
struct StreamSequenceNumber: SerialNumber {
    var rawValue: UInt16

    init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }
}

/// Numbers reconfiguration requests (RFC 6525, section 4.1).
struct ReconfigurationSequenceNumber: SerialNumber {
    var rawValue: UInt32

    init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }
}
