public import RTCWire

/// The class of a message (RFC 8489, section 5).
public enum STUNClass: UInt16, Sendable, Hashable {
    case request = 0b00
    case indication = 0b01
    case successResponse = 0b10
    case errorResponse = 0b11
}

/// The method of a message: 12 bits (RFC 8489, section 18.2; RFC 8656, section 17).
@frozen
public struct STUNMethod: RawRepresentable, Sendable, Hashable {
    public var rawValue: UInt16

    @inlinable
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static var binding: STUNMethod { STUNMethod(rawValue: 0x001) }
    public static var allocate: STUNMethod { STUNMethod(rawValue: 0x003) }
    public static var refresh: STUNMethod { STUNMethod(rawValue: 0x004) }
    public static var send: STUNMethod { STUNMethod(rawValue: 0x006) }
    public static var data: STUNMethod { STUNMethod(rawValue: 0x007) }
    public static var createPermission: STUNMethod { STUNMethod(rawValue: 0x008) }
    public static var channelBind: STUNMethod { STUNMethod(rawValue: 0x009) }
}

/// The 96 bits that tie a response to its request (RFC 8489, section 5).
@frozen
public struct STUNTransactionID: Sendable, Hashable {
    public var high: UInt32
    public var low: UInt64

    @inlinable
    public init(high: UInt32, low: UInt64) {
        self.high = high
        self.low = low
    }

    public static func random(from source: any RandomSource) -> STUNTransactionID {
        STUNTransactionID(high: UInt32(truncatingIfNeeded: source.next()), low: source.next())
    }
}

/// An attribute's type (RFC 8489, section 18.3).
@frozen
public struct STUNAttributeType: RawRepresentable, Sendable, Hashable {
    public var rawValue: UInt16

    @inlinable
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    init(_ rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// Whether a receiver that does not know this attribute must reject the whole message (RFC 8489, section 14).
    @inlinable
    public var isComprehensionRequired: Bool { rawValue < 0x8000 }

    // RFC 8489
    public static var mappedAddress: Self { Self(0x0001) }
    public static var username: Self { Self(0x0006) }
    public static var messageIntegrity: Self { Self(0x0008) }
    public static var errorCode: Self { Self(0x0009) }
    public static var unknownAttributes: Self { Self(0x000A) }
    public static var realm: Self { Self(0x0014) }
    public static var nonce: Self { Self(0x0015) }
    public static var messageIntegritySHA256: Self { Self(0x001C) }
    public static var passwordAlgorithm: Self { Self(0x001D) }
    public static var userhash: Self { Self(0x001E) }
    public static var xorMappedAddress: Self { Self(0x0020) }
    public static var passwordAlgorithms: Self { Self(0x8002) }
    public static var alternateDomain: Self { Self(0x8003) }
    public static var software: Self { Self(0x8022) }
    public static var alternateServer: Self { Self(0x8023) }
    public static var fingerprint: Self { Self(0x8028) }

    // RFC 8445
    public static var priority: Self { Self(0x0024) }
    public static var useCandidate: Self { Self(0x0025) }
    public static var iceControlled: Self { Self(0x8029) }
    public static var iceControlling: Self { Self(0x802A) }

    // RFC 8656
    public static var channelNumber: Self { Self(0x000C) }
    public static var lifetime: Self { Self(0x000D) }
    public static var xorPeerAddress: Self { Self(0x0012) }
    public static var data: Self { Self(0x0013) }
    public static var xorRelayedAddress: Self { Self(0x0016) }
    public static var requestedAddressFamily: Self { Self(0x0017) }
    public static var evenPort: Self { Self(0x0018) }
    public static var requestedTransport: Self { Self(0x0019) }
    public static var dontFragment: Self { Self(0x001A) }
    public static var reservationToken: Self { Self(0x0022) }
    public static var additionalAddressFamily: Self { Self(0x8000) }
    public static var addressErrorCode: Self { Self(0x8001) }
    public static var icmp: Self { Self(0x8004) }

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
public struct STUNError: Sendable, Hashable {
    /// 300 to 699.
    public var code: UInt16
    public var reason: String

    public init(_ code: UInt16, _ reason: String = "") {
        self.code = code
        self.reason = reason
    }

    public static var tryAlternate: STUNError { STUNError(300, "Try Alternate") }
    public static var badRequest: STUNError { STUNError(400, "Bad Request") }
    public static var unauthenticated: STUNError { STUNError(401, "Unauthenticated") }
    public static var forbidden: STUNError { STUNError(403, "Forbidden") }
    public static var unknownAttribute: STUNError { STUNError(420, "Unknown Attribute") }
    public static var staleNonce: STUNError { STUNError(438, "Stale Nonce") }
    public static var allocationMismatch: STUNError { STUNError(437, "Allocation Mismatch") }
    public static var addressFamilyNotSupported: STUNError { STUNError(440, "Address Family not Supported") }
    public static var wrongCredentials: STUNError { STUNError(441, "Wrong Credentials") }
    public static var unsupportedTransport: STUNError { STUNError(442, "Unsupported Transport Protocol") }
    public static var peerAddressFamilyMismatch: STUNError { STUNError(443, "Peer Address Family Mismatch") }
    public static var allocationQuotaReached: STUNError { STUNError(486, "Allocation Quota Reached") }
    public static var insufficientCapacity: STUNError { STUNError(508, "Insufficient Capacity") }
    public static var roleConflict: STUNError { STUNError(487, "Role Conflict") }
    public static var serverError: STUNError { STUNError(500, "Server Error") }
}
