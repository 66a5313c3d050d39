/// What an exchange keeps of a call.
final class CallRecord {
    enum State {
        /// Devices of the callee ring, or said that they are busy.
        case ringing
        /// A device answered.
        case running
        /// One side said that the call runs; the other has not yet.
        case half
        case ended
    }

    let id: CallID
    let caller: Party
    /// Whom the caller asked for.
    let target: SignalingAddress
    let lifetime: Double
    /// When it stops to ring.
    let deadline: Duration
    /// Whether it rang already, at a server that has forgotten it: who is not back yet may still hear it ring.
    let isAgain: Bool
    let media: [InvitedMedia]?
    /// Let go of when the call is answered.
    var description: CallDescription? {
        didSet { updateShare() }
    }

    var state = State.ringing
    /// The devices that were told, in the order of their being told.
    var devices: [RingingDevice] = []
    /// The device that answered.
    var callee: Party?
    /// What the caller said before the answer, for devices that come late.
    var earlyCandidates: [Candidates] = [] {
        didSet { updateShare() }
    }
    var earlyCandidateBytes = 0
    private var share: MemoryShare
    /// What is kept of it, in bytes.
    var heldBytes: Int { share.bytes }
    /// Why it ended, for who asks later.
    var reason: CallReason?

    /// One of the two sides.
    final class Party {
        /// Its name is not known before it has attached.
        var peer: SignalingPeer
        /// `nil` when its session has ended, or before it said again that it is there.
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
        isAgain: Bool = false, media: [InvitedMedia]? = nil, description: CallDescription? = nil, memory: MemoryUse
    ) {
        share = MemoryShare(of: memory)
        self.id = id
        self.caller = caller
        self.target = target
        self.lifetime = lifetime
        self.deadline = deadline
        self.isAgain = isAgain
        self.media = media
        self.description = description
        updateShare()
    }

    private func updateShare() {
        share.bytes =
            Self.bytesOfRecord + (description?.approximateSize ?? 0)
            + (earlyCandidates.isEmpty ? 0 : earlyCandidateBytes)
    }

    private static let bytesOfRecord = 512

    func covers(_ peer: SignalingPeer) -> Bool {
        target.user == peer.user && (target.device == nil || target.device == peer.device)
    }

    /// Whether this device was ever part of it, so that it may know that the call exists.
    func concerns(_ peer: SignalingPeer) -> Bool {
        caller.peer.address == peer.address || covers(peer)
    }

    func deviceIndex(of session: SessionRecord) -> Int? {
        devices.firstIndex { $0.session === session }
    }

    /// The side that this session speaks for, once the call is answered.
    func side(of session: SessionRecord) -> (own: Party, other: Party, isCaller: Bool)? {
        guard let callee else { return nil }
        if caller.session === session { return (caller, callee, true) }
        if callee.session === session { return (callee, caller, false) }
        return nil
    }
}
