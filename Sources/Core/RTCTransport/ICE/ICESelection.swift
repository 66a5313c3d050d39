public import RTCWire

/// Another path that packets are copied to as long as it is in doubt whether the selected one carries them.
public struct ICEBackup: Sendable, Hashable {
    public var path: TransportPath
    /// Whether video is copied too, and not only audio and reports.
    public var copiesVideo: Bool

    public init(path: TransportPath, copiesVideo: Bool) {
        self.path = path
        self.copiesVideo = copiesVideo
    }
}

/// The selected pair, its liveness, and its backup.
struct ICESelection {
    /// The selected pair's number.
    private(set) var pair: UInt32?
    /// The number of times that another pair was selected.
    private(set) var changes = 0
    /// The liveness of the selected pair.
    var liveness = PathLiveness()
    /// The time of the last media or data on the selected pair.
    private var lastTraffic = Instant(nanoseconds: .min)
    /// Whether a pair exists that could take over: without one, doubts have no effect.
    var hasBackup = false
    /// The path to which packets are copied.
    var backup: ICEBackup?

    /// Whether there is enough traffic to keep other pairs ready to take over.
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
