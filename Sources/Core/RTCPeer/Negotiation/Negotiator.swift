package import RTCWire

/// The exchange of offers and answers of one peer (RFC 9429), without a clock, a socket or a certificate.
///
/// Descriptions and candidates go in, what the peer has to do comes out (``NegotiationChange``). A call that throws
/// leaves everything as it was.
///
/// ```swift
/// if negotiator.pollNegotiationNeeded() {
///     changes = try negotiator.setLocal(input)             // makes the offer and applies it
///     send(negotiator.localDescription)
/// }
/// switch try negotiator.receive(description, isPolite: true) {
/// case .applied(let changes, let isAnswerDue):             // answer with setLocal(input)
/// case .ignored:                                           // glare, and ours wins
/// }
/// ```
///
/// With ``receive(_:isPolite:)`` for what arrives, and `setLocal` with an input for what leaves, two sides that offer
/// at once settle it by themselves, provided that exactly one of them is polite.
package struct Negotiator: Sendable {
    /// The configuration of this side's sections.
    package struct Configuration: Sendable, Hashable {
        /// Our side of the SCTP association.
        package var data: DataDescription
        /// The role that we take where an offer leaves it to us: ``SetupRole/active`` saves half a round trip, since
        /// we may begin the handshake before our answer arrives. ``SetupRole/passive`` is the other choice.
        package var answeringSetup: SetupRole
        /// The audio and video formats of this side. Sections of a kind without any are rejected.
        package var media: MediaCapabilities
        /// The name that all our RTP sources share (RTCP's CNAME, RFC 7022): a token; `nil` for a random one.
        package var cname: String?

        package init(
            data: DataDescription = DataDescription(), answeringSetup: SetupRole = .active,
            media: MediaCapabilities = MediaCapabilities(), cname: String? = nil
        ) {
            self.data = data
            self.answeringSetup = answeringSetup
            self.media = media
            self.cname = cname
        }
    }

    let configuration: Configuration
    /// The name of our RTP sources in descriptions and in RTCP.
    package let cname: String
    /// `<sess-id>` of local descriptions: below 2^63 (RFC 9429, section 5.2.1).
    let sessionID: UInt64
    /// `<sess-version>` of the next description.
    var sessionVersion: UInt64 = 0
    /// The number to try as the `mid` of our next new section.
    var nextMid: UInt64 = 0

    var settled: SettledExchange?
    var openOffer: OpenOffer? { didSet { isCheckDue = true } }
    var transport = AgreedTransport()

    /// The last results of `createOffer` and `createAnswer` that have not been applied.
    var createdOffer: LocalDescription?
    var createdAnswer: LocalDescription?

    var wantsData = false
    var media = MediaState()
    /// The generations that a requested restart must replace (W3C [[LocalIceCredentialsToReplace]]).
    var fragmentsToReplace: [String] = []
    var isNeedAnnounced = false
    /// Whether anything has changed since the last ``pollNegotiationNeeded()``, which runs for every packet.
    var isCheckDue = false

    /// The local ICE generations, newest last.
    var generations: [LocalGeneration] = []
    /// Remote candidates whose description has not arrived.
    var heldCandidates: [ICECandidateInit] = []
    /// Username fragments of remote generations that were replaced or withdrawn, newest last.
    var retiredFragments: [String] = []
    /// Username fragments of the last ignored offer. Older ones are not needed: its sender answers our offer next.
    var ignoredFragments: [String] = []

    /// - Parameter random: Gives the session its number and its sources their name; not kept.
    package init(configuration: Configuration = Configuration(), random: any RandomSource) {
        var configuration = configuration
        configuration.media = configuration.media.checked
        self.configuration = configuration
        sessionID = random.next() >> 1
        if let cname = configuration.cname, SDPText.isToken(cname), cname.utf8.count <= 255 {
            self.cname = cname
        } else {
            // More than 96 bits (RFC 7022, section 5).
            cname = String(random.next(), radix: 36) + String(random.next(), radix: 36)
        }
    }

    // MARK: The state

    /// The state of the exchange.
    package var signalingState: SignalingState {
        switch openOffer {
        case nil: .stable
        case .ours(_, provisional: nil): .haveLocalOffer
        case .ours: .haveRemotePranswer
        case .theirs(_, provisional: nil): .haveRemoteOffer
        case .theirs: .haveLocalPranswer
        }
    }

    /// ``pendingLocalDescription``, or else ``currentLocalDescription``.
    package var localDescription: SessionDescription? { pendingLocalDescription ?? currentLocalDescription }

    /// ``pendingRemoteDescription``, or else ``currentRemoteDescription``.
    package var remoteDescription: SessionDescription? { pendingRemoteDescription ?? currentRemoteDescription }

    /// The local description agreed upon last, with all candidates gathered for it.
    package var currentLocalDescription: SessionDescription? { settled.map { text(of: $0.local) } }

    /// Our offer or provisional answer in an exchange that has not ended, with all candidates gathered for it.
    package var pendingLocalDescription: SessionDescription? { pendingLocal.map(text) }

    /// The remote description agreed upon last, with all candidates received for it.
    package var currentRemoteDescription: SessionDescription? {
        settled.map { SessionDescription(type: $0.remote.type, sdp: $0.remote.document.serialized) }
    }

    /// The other side's offer or provisional answer in an exchange that has not ended.
    package var pendingRemoteDescription: SessionDescription? {
        let pending: RemoteDescription? =
            switch openOffer {
            case .theirs(let offer, _): offer
            case .ours(_, let provisional): provisional
            case nil: nil
            }
        return pending.map { SessionDescription(type: $0.type, sdp: $0.document.serialized) }
    }

    /// The agreed data section, if there is one.
    package var dataSection: NegotiationChange.DataSection? { transport.data }

    // MARK: Requests of the application

    /// Requests data channels. Further calls change nothing.
    ///
    /// If the other side refuses (``NegotiationChange/dataRejected``), the request is dropped and may be made again.
    package mutating func addDataSection() {
        wantsData = true
        isCheckDue = true
    }

    /// The next offer restarts ICE (RFC 9429, section 4.1.18). Before the first description this changes nothing.
    package mutating func requestICERestart() {
        fragmentsToReplace = [settled?.local.usernameFragment, pendingLocal?.usernameFragment].compactMap(\.self)
        isCheckDue = true
    }

    /// Whether an offer is due: something is wanted that is not agreed upon, and no exchange is going on.
    package var needsNegotiation: Bool {
        guard openOffer == nil else { return false }
        return wantsData && transport.data == nil || needsMediaNegotiation
            || needsICERestart
    }

    /// Whether a requested restart is outstanding, and an offer could perform it now.
    var needsICERestart: Bool {
        openOffer == nil && transport.localFragment.map(fragmentsToReplace.contains) ?? false
    }

    /// Whether an offer has become necessary since the last call: true once for any number of changes, and once more
    /// when an exchange ends without an agreement on all of them.
    package mutating func pollNegotiationNeeded() -> Bool {
        guard isCheckDue else { return false }
        isCheckDue = false
        let wasAnnounced = isNeedAnnounced
        isNeedAnnounced = needsNegotiation
        return isNeedAnnounced && !wasAnnounced
    }

    /// Whether the next description needs ICE credentials that were not used before: an offer when a restart was
    /// requested, an answer when the offer restarts. Otherwise it needs those in use, or any if there are none.
    package var needsFreshICECredentials: Bool {
        guard let base = baseFragment else { return false }
        if case .theirs(let offer, let provisional) = openOffer {
            return provisional == nil && isRestart(offer.transport)
        }
        return fragmentsToReplace.contains(base)
    }

    // MARK: Shared by the extensions

    var pendingLocal: LocalDescription? {
        switch openOffer {
        case .ours(let offer, _): offer
        case .theirs(_, let provisional): provisional
        case nil: nil
        }
    }

    /// The generation that the next description continues, unless it restarts ICE.
    var baseFragment: String? { pendingLocal?.usernameFragment ?? transport.localFragment }

    /// Whether remote credentials differ from those in use (RFC 8839, section 4.4.3.1.1).
    func isRestart(_ remote: TransportDescription?) -> Bool {
        guard let old = transport.remote, let remote else { return false }
        return old.iceUsernameFragment != remote.iceUsernameFragment || old.icePassword != remote.icePassword
    }

    func text(of local: LocalDescription) -> SessionDescription {
        let generation = generations.last { $0.usernameFragment == local.usernameFragment }
        return SessionDescription(type: local.type, sdp: local.text(with: generation))
    }
}
