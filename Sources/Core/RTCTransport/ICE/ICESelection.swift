package import RTCWire

/// Another path that packets are copied to as long as it is in doubt whether the selected one carries them.
package struct ICEBackup: Sendable, Hashable {
    package var path: TransportPath
    /// Whether video is copied too, and not only audio and reports.
    package var copiesVideo: Bool

    package init(path: TransportPath, copiesVideo: Bool) {
        self.path = path
        self.copiesVideo = copiesVideo
    }
}

/// The selected pair, its liveness, and its backup.
struct ICESelection {
    /// The selected pair's number.
    private(set) var pair: UInt32?
    /// Whether a pair exists that could take over: without one, doubts have no effect.
    private(set) var hasBackup = false
    /// Whether ``hasBackup`` has to be determined anew, since the pairs or the selected one may have changed.
    private(set) var isOutdated = true
    /// The number of times that another pair was selected.
    private(set) var changes = 0
    /// The liveness of the selected pair.
    var liveness = PathLiveness()
    /// The time of the last media or data on the selected pair.
    private var lastTraffic = Instant(nanoseconds: .min)
    /// The path to which packets are copied.
    var backup: ICEBackup?

    /// Whether there is enough traffic to keep other pairs ready to take over.
    func isInUse(at now: Instant) -> Bool {
        now - lastTraffic < Self.useDuration
    }

    private static let useDuration = TimeDelta.seconds(10)

    mutating func noteTraffic(at now: Instant) { lastTraffic = now }

    /// Notes that the pairs may have changed.
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
