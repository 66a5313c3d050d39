/// The header extensions that the engine supports.
@usableFromInline package enum RTPHeaderExtension: UInt8, Sendable, Hashable, CaseIterable {
    /// Which media section a packet belongs to (RFC 9143, section 15.2).
    case mediaIdentification
    /// Which of several encodings of one source (RFC 8852, section 3.1).
    case streamIdentifier
    /// Which encoding a retransmission repairs (RFC 8852, section 3.2).
    case repairedStreamIdentifier
    /// When the packet left, in 24 bits.
    case absoluteSendTime
    /// The number of the packet among all of its transport (draft-holmer-rmcat-transport-wide-cc-extensions-01).
    case transportSequenceNumber
    /// Loudness and voice activity (RFC 6464).
    case audioLevel
    /// The clockwise rotation for display (3GPP TS 26.114, section 7.4.5).
    case videoOrientation
    /// The least and the most that a receiver may delay.
    case playoutDelay
    /// When the first audio sample or the frame was captured, on the capturer's clock.
    case absoluteCaptureTime
    /// The time from the RTP timestamp to the sending of the packet (RFC 5450).
    case transmissionOffset

    /// The name in `a=extmap` (RFC 8285, section 5).
    @usableFromInline package var uri: String {
        switch self {
        case .mediaIdentification: "urn:ietf:params:rtp-hdrext:sdes:mid"
        case .streamIdentifier: "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"
        case .repairedStreamIdentifier: "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id"
        case .absoluteSendTime: "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
        case .transportSequenceNumber:
            "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
        case .audioLevel: "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
        case .videoOrientation: "urn:3gpp:video-orientation"
        case .playoutDelay: "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
        case .absoluteCaptureTime: "http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time"
        case .transmissionOffset: "urn:ietf:params:rtp-hdrext:toffset"
        }
    }

    /// The extension with this URI, or `nil` if the engine does not support it.
    @usableFromInline package init?(uri: String) {
        guard let known = Self.allCases.first(where: { $0.uri == uri }) else { return nil }
        self = known
    }

    /// The ID under which we offer it, which is that of most browsers: when both sides offer at once, one offer is
    /// rolled back, and some implementations then refuse to change the meaning of their IDs.
    @usableFromInline package var defaultID: UInt8 {
        switch self {
        case .audioLevel: 1
        case .absoluteSendTime: 2
        case .transportSequenceNumber: 3
        case .mediaIdentification: 4
        case .playoutDelay: 5
        case .absoluteCaptureTime: 9
        case .streamIdentifier: 10
        case .repairedStreamIdentifier: 11
        case .videoOrientation: 13
        case .transmissionOffset: 14
        }
    }

    /// Which kinds of media it makes sense for, when it is offered.
    @usableFromInline package func applies(to kind: MediaKind) -> Bool {
        switch self {
        case .audioLevel: kind == .audio
        case .videoOrientation, .playoutDelay, .transmissionOffset, .streamIdentifier, .repairedStreamIdentifier:
            kind == .video
        default: true
        }
    }
}

/// Which number stands for which header extension, as the descriptions agreed (RFC 8285, section 5).
///
/// The numbers are those of one media section. Those of a bundle must not contradict each other (RFC 9143, section
/// 9.2), so one map can serve all of a transport.
@usableFromInline package struct RTPHeaderExtensionMap: Sendable, Hashable {
    /// The ID of each extension, by raw value; 0 for none. Like the rest of the map it holds no reference, which would
    /// have to be retained while a packet is parsed.
    private var ids = SIMD16<UInt8>()
    /// The extension of each ID from 0 to 15, by raw value, in four bits each; 15 for none.
    private var kinds = UInt64.max
    /// Whether packets are written in the two-byte form: when any number does not fit the other. All packets of a
    /// stream then use it, so that `a=extmap-allow-mixed` is never needed for what we send.
    @usableFromInline package private(set) var usesTwoByteForm = false

    /// The IDs of the one-byte form; 15 is reserved (RFC 8285, section 4.2).
    static let oneByteIDs: ClosedRange<UInt8> = 1...14

    @usableFromInline package init() {}

    @usableFromInline package init(_ entries: [(id: UInt8, extension: RTPHeaderExtension)]) {
        for entry in entries { set(entry.extension, id: entry.id) }
    }

    /// Gives `extension` the number `id`, 1 to 255. Number 0 is padding and takes the extension out.
    @usableFromInline package mutating func set(_ extension: RTPHeaderExtension, id: UInt8) {
        // An ID has one meaning: the last assignment wins.
        ids.replace(with: 0, where: ids .== id)
        ids[Int(`extension`.rawValue)] = id
        usesTwoByteForm = ids.max() > Self.oneByteIDs.upperBound
        kinds = .max
        for kind in ids.indices where ids[kind] > 0 && ids[kind] < 16 {
            kinds ^= UInt64(kind ^ 15) << UInt64(4 * ids[kind])
        }
    }

    /// The extension with this ID.
    @usableFromInline package subscript(id: UInt8) -> RTPHeaderExtension? {
        if id < 16 { return RTPHeaderExtension(rawValue: UInt8(truncatingIfNeeded: kinds >> UInt64(4 * id) & 15)) }
        return ids.indices.first { ids[$0] == id }.flatMap { RTPHeaderExtension(rawValue: UInt8($0)) }
    }

    /// The number of the extension, or `nil` when it was not agreed upon.
    @usableFromInline package func id(of extension: RTPHeaderExtension) -> UInt8? {
        let id = ids[Int(`extension`.rawValue)]
        return id == 0 ? nil : id
    }

    @usableFromInline package func contains(_ extension: RTPHeaderExtension) -> Bool { id(of: `extension`) != nil }

    @usableFromInline package var isEmpty: Bool { ids.max() == 0 }
}
