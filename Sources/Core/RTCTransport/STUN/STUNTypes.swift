package import RTCWire

/// The class of a message (RFC 8489, section 5).
package enum STUNClass: UInt16, Sendable, Hashable {
    case request = 0b00
    case indication = 0b01
    case successResponse = 0b10
    case errorResponse = 0b11
}

/// The method of a message: 12 bits (RFC 8489, section 18.2; RFC 8656, section 17).
@frozen
package struct STUNMethod: RawRepresentable, Sendable, Hashable {
    package var rawValue: UInt16

    @inlinable
    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    package static var binding: STUNMethod { STUNMethod(rawValue: 0x001) }
    package static var allocate: STUNMethod { STUNMethod(rawValue: 0x003) }
    package static var refresh: STUNMethod { STUNMethod(rawValue: 0x004) }
    package static var send: STUNMethod { STUNMethod(rawValue: 0x006) }
    package static var data: STUNMethod { STUNMethod(rawValue: 0x007) }
    package static var createPermission: STUNMethod { STUNMethod(rawValue: 0x008) }
    package static var channelBind: STUNMethod { STUNMethod(rawValue: 0x009) }
}

/// The 96 bits that tie a response to its request (RFC 8489, section 5).
@frozen
package struct STUNTransactionID: Sendable, Hashable {
    package var high: UInt32
    package var low: UInt64

    @inlinable
    package init(high: UInt32, low: UInt64) {
        self.high = high
        self.low = low
    }

    package static func random(from source: any RandomSource) -> STUNTransactionID {
        STUNTransactionID(high: UInt32(truncatingIfNeeded: source.next()), low: source.next())
    }
}

/// An attribute's type (RFC 8489, section 18.3).
@frozen
package struct STUNAttributeType: RawRepresentable, Sendable, Hashable {
    package var rawValue: UInt16

    @inlinable
    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Whether a receiver that does not know this attribute must reject the whole message (RFC 8489, section 14).
    @inlinable
    package var isComprehensionRequired: Bool { rawValue < 0x8000 }

    // RFC 8489
    package static var mappedAddress: Self { Self(0x0001) }
    package static var username: Self { Self(0x0006) }
    package static var messageIntegrity: Self { Self(0x0008) }
    package static var errorCode: Self { Self(0x0009) }
    package static var unknownAttributes: Self { Self(0x000A) }
    package static var realm: Self { Self(0x0014) }
    package static var nonce: Self { Self(0x0015) }
    package static var messageIntegritySHA256: Self { Self(0x001C) }
    package static var passwordAlgorithm: Self { Self(0x001D) }
    package static var userhash: Self { Self(0x001E) }
    package static var xorMappedAddress: Self { Self(0x0020) }
    package static var passwordAlgorithms: Self { Self(0x8002) }
    package static var alternateDomain: Self { Self(0x8003) }
    package static var software: Self { Self(0x8022) }
    package static var alternateServer: Self { Self(0x8023) }
    package static var fingerprint: Self { Self(0x8028) }

    // RFC 8445
    package static var priority: Self { Self(0x0024) }
    package static var useCandidate: Self { Self(0x0025) }
    package static var iceControlled: Self { Self(0x8029) }
    package static var iceControlling: Self { Self(0x802A) }

    // RFC 8656
    package static var channelNumber: Self { Self(0x000C) }
    package static var lifetime: Self { Self(0x000D) }
    package static var xorPeerAddress: Self { Self(0x0012) }
    package static var data: Self { Self(0x0013) }
    package static var xorRelayedAddress: Self { Self(0x0016) }
    package static var requestedAddressFamily: Self { Self(0x0017) }
    package static var requestedTransport: Self { Self(0x0019) }
    package static var additionalAddressFamily: Self { Self(0x8000) }

    /// Whether this is a comprehension-required attribute that Duet knows. A known attribute that does not apply to a
    /// message is ignored, as section 14 says.
    var isKnown: Bool {
        switch rawValue {
        case 0x0001, 0x0006, 0x0008, 0x0009, 0x000A, 0x000C, 0x000D, 0x0012...0x001A, 0x001C...0x001E, 0x0020, 0x0022,
            0x0024, 0x0025:
            true
        default: false
        }
    }
}

/// The number and phrase of ERROR-CODE (RFC 8489, section 14.8).
package struct STUNError: Sendable, Hashable {
    /// 300 to 699.
    package var code: UInt16
    package var reason: String

    package init(_ code: UInt16, _ reason: String = "") {
        self.code = code
        self.reason = reason
    }

    package static var tryAlternate: STUNError { STUNError(300, "Try Alternate") }
    package static var badRequest: STUNError { STUNError(400, "Bad Request") }
    package static var unauthenticated: STUNError { STUNError(401, "Unauthenticated") }
    package static var forbidden: STUNError { STUNError(403, "Forbidden") }
    package static var unknownAttribute: STUNError { STUNError(420, "Unknown Attribute") }
    package static var staleNonce: STUNError { STUNError(438, "Stale Nonce") }
    package static var allocationMismatch: STUNError { STUNError(437, "Allocation Mismatch") }
    package static var addressFamilyNotSupported: STUNError { STUNError(440, "Address Family not Supported") }
    package static var wrongCredentials: STUNError { STUNError(441, "Wrong Credentials") }
    package static var unsupportedTransport: STUNError { STUNError(442, "Unsupported Transport Protocol") }
    package static var peerAddressFamilyMismatch: STUNError { STUNError(443, "Peer Address Family Mismatch") }
    package static var allocationQuotaReached: STUNError { STUNError(486, "Allocation Quota Reached") }
    package static var insufficientCapacity: STUNError { STUNError(508, "Insufficient Capacity") }
    package static var roleConflict: STUNError { STUNError(487, "Role Conflict") }
    package static var serverError: STUNError { STUNError(500, "Server Error") }
}
