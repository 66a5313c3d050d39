public import RTCWire

/// Another path that packets are copied to as long as it is in doubt whether the selected one carries them.
public struct ICEBackup: Sendable, Hashable {
    public var path: TransportPath
    /// Whether pictures are copied too, and not sound and reports alone.
    public var copiesVideo: Bool

    public init(path: TransportPath, copiesVideo: Bool) {
        self.path = path
        self.copiesVideo = copiesVideo
    }
}

/// Which pair carries the data, and how sure it is that it does.
struct ICESelection {
    /// The selected pair's number.
    private(set) var pair: UInt32?
    /// Whether there is a pair that could take over: else nothing comes of a doubt.
    private(set) var hasBackup = false
    /// Whether that has to be found out anew, since the pairs or the choice among them may have changed.
    private(set) var isOutdated = true
    /// How often another pair was selected.
    private(set) var changes = 0
    /// Of the selected pair.
    var liveness = PathLiveness()
    /// When media or data last moved on the selected pair.
    private var lastTraffic = Instant(nanoseconds: .min)
    /// Where packets are copied to.
    var backup: ICEBackup?

    /// Whether so much happens that other pairs are kept ready to take over.
    func isInUse(at now: Instant) -> Bool {
        now - lastTraffic < Self.useLasts
    }

    private static let useLasts = TimeDelta.seconds(10)

    mutating func noteTraffic(at now: Instant) { lastTraffic = now }

    /// The pairs may have changed.
    mutating func notePairs() { isOutdated = true }

    mutating func setHasBackup(_ hasBackup: Bool) {
        self.hasBackup = hasBackup
        isOutdated = false
    }

    mutating func select(_ id: UInt32) {
        begin(id)
        changes += 1
    }

    mutating func deselect() { begin(nil) }

    private mutating func begin(_ id: UInt32?) {
        pair = id
        isOutdated = true
        liveness = PathLiveness(allowance: liveness.allowance)
        backup = nil
    }
}
