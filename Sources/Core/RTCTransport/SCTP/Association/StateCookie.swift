internal import RTCWire

/// The state cookie of an INIT ACK (RFC 9260, section 5.1.3): everything needed to set up the association when the peer
/// returns it, so that no state is kept until then.
///
/// 128 random bits, known only to the association and its DTLS peer, bind it to the association. RFC 9260 uses a MAC to
/// keep a third party from forging a cookie; here DTLS already does. The peer could change its cookie but gains
/// nothing: anything it could claim about itself there, it could also send in its INIT.
struct StateCookie: Equatable {
    static let size = 4 + 16 + 8 + 4 * 7 + 2 * 2 + 4
    private static let magic: UInt32 = 0x4455_4554

    var binding: Binding
    var created: Instant
    /// The tag that this end chose.
    var localTag: UInt32
    var localInitialTSN: TransmissionSequenceNumber
    var peerTag: UInt32
    var peerInitialTSN: TransmissionSequenceNumber
    var peerWindow: UInt32
    /// The tags of an association that existed when the cookie was made, or 0.
    var localTieTag: UInt32 = 0
    var peerTieTag: UInt32 = 0
    var peerOutboundStreams: UInt16
    var peerInboundStreams: UInt16
    var capabilities: Capabilities

    struct Binding: Equatable {
        var high: UInt64
        var low: UInt64
    }

    /// The capabilities that the peer's INIT announced.
    struct Capabilities: OptionSet {
        var rawValue: UInt32

        static let forwardTSN = Capabilities(rawValue: 1)
        static let reconfiguration = Capabilities(rawValue: 2)
        static let zeroChecksum = Capabilities(rawValue: 4)
    }

    init(
        binding: Binding, created: Instant, localTag: UInt32, localInitialTSN: TransmissionSequenceNumber,
        peer: InitChunk
    ) {
        self.binding = binding
        self.created = created
        self.localTag = localTag
        self.localInitialTSN = localInitialTSN
        peerTag = peer.initiateTag
        peerInitialTSN = peer.initialTSN
        peerWindow = peer.advertisedWindow
        peerOutboundStreams = peer.outboundStreams
        peerInboundStreams = peer.inboundStreams
        capabilities = Capabilities(peer)
    }

    /// Returns `nil` for anything but a cookie of the association that `binding` belongs to.
    init?(parsing cookie: RawSpan, binding: Binding) {
        var reader = ByteReader(cookie)
        guard cookie.byteCount == Self.size, reader.readUInt32() == Self.magic,
            reader.readUInt64() == binding.high, reader.readUInt64() == binding.low,
            let created = reader.readUInt64(), let localTag = reader.readUInt32(), let localTSN = reader.readUInt32(),
            let peerTag = reader.readUInt32(), let peerTSN = reader.readUInt32(), let window = reader.readUInt32(),
            let localTie = reader.readUInt32(), let peerTie = reader.readUInt32(),
            let outbound = reader.readUInt16(), let inbound = reader.readUInt16(), let offers = reader.readUInt32(),
            peerTag != 0, outbound != 0, inbound != 0
        else { return nil }
        self.binding = binding
        self.created = Instant(nanoseconds: Int64(bitPattern: created))
        self.localTag = localTag
        localInitialTSN = TransmissionSequenceNumber(localTSN)
        self.peerTag = peerTag
        peerInitialTSN = TransmissionSequenceNumber(peerTSN)
        peerWindow = window
        localTieTag = localTie
        peerTieTag = peerTie
        peerOutboundStreams = outbound
        peerInboundStreams = inbound
        capabilities = Capabilities(rawValue: offers)
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.size)
        bytes.append(bigEndian: Self.magic)
        bytes.append(bigEndian: binding.high)
        bytes.append(bigEndian: binding.low)
        bytes.append(bigEndian: UInt64(bitPattern: created.nanoseconds))
        bytes.append(bigEndian: localTag)
        bytes.append(bigEndian: localInitialTSN.rawValue)
        bytes.append(bigEndian: peerTag)
        bytes.append(bigEndian: peerInitialTSN.rawValue)
        bytes.append(bigEndian: peerWindow)
        bytes.append(bigEndian: localTieTag)
        bytes.append(bigEndian: peerTieTag)
        bytes.append(bigEndian: peerOutboundStreams)
        bytes.append(bigEndian: peerInboundStreams)
        bytes.append(bigEndian: capabilities.rawValue)
        return bytes
    }
}

extension StateCookie.Capabilities {
    init(_ offer: InitChunk) {
        self = []
        if offer.supportsForwardTSN { insert(.forwardTSN) }
        if offer.supportsReconfiguration { insert(.reconfiguration) }
        if offer.acceptsZeroChecksum { insert(.zeroChecksum) }
    }
}
