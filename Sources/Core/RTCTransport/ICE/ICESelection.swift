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
    /// How often another pair was selected.
    private(set) var changes = 0
    /// Of the selected pair.
    var liveness = PathLiveness()
    /// When media or data last moved on the selected pair.
    private var lastTraffic = Instant(nanoseconds: .min)
    /// Whether there is a pair that could take over: else nothing comes of a doubt.
    var hasBackup = false
    /// Where packets are copied to.
    var backup: ICEBackup?

    /// Whether so much happens that other pairs are kept ready to take over.
    func isInUse(at now: Instant) -> Bool {
        now - lastTraffic < Self.useLasts
    }

    private static let useLasts = TimeDelta.seconds(10)

    mutating func noteTraffic(at now: Instant) { lastTraffic = now }

    mutating func select(_ id: UInt32) {
        pair = id
        changes += 1
        liveness = PathLiveness()
        backup = nil
    }

    mutating func deselect() {
        pair = nil
        liveness = PathLiveness()
        backup = nil
    }
}
