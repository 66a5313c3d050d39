/// The state of a call.
final class CallRecord {
    enum State {
        /// Devices of the callee ring, or said that they are busy.
        case ringing
        /// A device answered.
        case running
        /// One side has attached, the other has not yet.
        case half
        case ended
    }

    let id: CallID
    let caller: Party
    /// The called user or device.
    let target: SignalingAddress
    let lifetime: Double
    /// When it stops ringing.
    let deadline: Duration
    /// Whether the invitation is repeated after a restart of the server: it may still reach devices that have not returned.
    let isRepeated: Bool
    let media: [InvitedMedia]?
    /// Released when the call is answered.
    var description: CallDescription? {
        didSet { updateShare() }
    }

    var state = State.ringing
    /// The devices that were invited, in order.
    var devices: [RingingDevice] = []
    /// The device that answered.
    var callee: Party?
    /// The caller's candidates before the answer, for devices that sign in later.
    private(set) var earlyCandidates: [CallCandidate] = []
    private var earlyCandidateBytes = 0 {
        didSet { updateShare() }
    }
    private var share: MemoryShare
    /// The memory that it holds, in bytes.
    var heldBytes: Int { share.bytes }
    /// Whether pushes know that it rings.
    var isAnnounced = false
    /// Why it ended, for later messages.
    var reason: CallReason?
    /// When it is forgotten: some time after its end, after its last session, or after one side has attached it. Deadlines before it
    /// are of an earlier state, or of another call with its identifier.
    var forgetTime: Duration = .zero

    /// One of the two sides.
    final class Party {
        /// The name is unknown until the device has attached.
        var peer: SignalingPeer
        /// `nil` if the session has ended, or has not attached yet.
        var session: SessionRecord?

        init(peer: SignalingPeer, session: SessionRecord?) {
            self.peer = peer
            self.session = session
        }
    }

    struct RingingDevice {
        var session: SessionRecord
        var isRinging = false
        var isBusy = false
    }

    init(
        id: CallID, caller: Party, target: SignalingAddress, lifetime: Double, deadline: Duration,
        isRepeated: Bool = false, media: [InvitedMedia]? = nil, description: CallDescription? = nil, memory: MemoryUse
    ) {
        share = MemoryShare(of: memory)
        self.id = id
        self.caller = caller
        self.target = target
        self.lifetime = lifetime
        self.deadline = deadline
        self.isRepeated = isRepeated
        self.media = media
        self.description = description
        updateShare()
    }

    private func updateShare() {
        share.bytes =
            Self.bytesOfRecord + (description?.approximateSize ?? 0) + earlyCandidateBytes
    }

    private static let bytesOfRecord = 512

    /// Keeps the caller's candidates for devices that sign in later.
    ///
    /// - Returns: `false` if they would be too many or too long; none of them is kept then.
    func keep(_ candidates: [CallCandidate], _ limits: ExchangeLimits) -> Bool {
        let bytes = candidates.reduce(earlyCandidateBytes) { $0 + $1.approximateSize }
        guard earlyCandidates.count + candidates.count <= limits.earlyCandidates, bytes <= limits.earlyCandidateBytes
        else { return false }
        earlyCandidates += candidates
        earlyCandidateBytes = bytes
        return true
    }

    /// Takes over what a snapshot says.
    func restore(earlyCandidates candidates: [CallCandidate]) {
        earlyCandidates = candidates
        earlyCandidateBytes = candidates.reduce(0) { $0 + $1.approximateSize }
    }

    /// The kept candidates in as few messages as possible: not as many as the caller sent, which would fill a receiver's buffer.
    var earlyMessages: [Candidates] {
        stride(from: 0, to: earlyCandidates.count, by: Candidates.maximumCount).map { start in
            let end = min(start + Candidates.maximumCount, earlyCandidates.count)
            return Candidates(call: id, candidates: Array(earlyCandidates[start..<end]))
        }
    }

    /// Releases what is for devices that ring.
    func forgetInvitation() {
        description = nil
        earlyCandidates = []
        earlyCandidateBytes = 0
    }

    func covers(_ peer: SignalingPeer) -> Bool {
        target.user == peer.user && (target.device == nil || target.device == peer.device)
    }

    /// Whether this device was ever part of the call, so that it may know about it.
    func concerns(_ peer: SignalingPeer) -> Bool {
        caller.peer.address == peer.address || covers(peer)
    }

    func deviceIndex(of session: SessionRecord) -> Int? {
        devices.firstIndex { $0.session === session }
    }

    /// The side of this session, once the call is answered.
    func side(of session: SessionRecord) -> (own: Party, other: Party, isCaller: Bool)? {
        guard let callee else { return nil }
        if caller.session === session { return (caller, callee, true) }
        if callee.session === session { return (callee, caller, false) }
        return nil
    }
}
