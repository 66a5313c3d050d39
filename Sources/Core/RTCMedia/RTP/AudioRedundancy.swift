package import RTCWire

/// Decides which earlier frames each audio packet repeats (RFC 2198).
///
/// Repeating one frame doubles the audio bitrate, so nothing is repeated while the loss is low or the path has no room.
/// Single losses below ``begin`` are left to the codec, whose redundancy costs far less, if it has any. One frame suffices if losses
/// are single and rare; two are repeated if losses are frequent or come in bursts. For long bursts the two frames are
/// older: after a burst of eight packets, the next two packets then recover its last four frames instead of the last
/// two. Each step begins at a higher loss than it ends, so that it does not change with each report.
@usableFromInline package struct AudioRedundancy: Sendable {
    /// Which earlier frames a packet carries.
    @usableFromInline package struct Plan: Sendable, Hashable {
        /// How many: 0 to 2.
        @usableFromInline package var frames: Int
        /// How many frames the next one is earlier: with 1 they are the one before and the one before that.
        @usableFromInline package var spacing: Int

        @usableFromInline package init(frames: Int, spacing: Int = 1) {
            self.frames = frames
            self.spacing = spacing
        }

        @usableFromInline package static let none = Plan(frames: 0)

        /// Whether the frame right before is among them.
        @usableFromInline package var repeatsPrevious: Bool { frames > 0 && spacing == 1 }
    }

    /// The earliest frame that a plan may ask for.
    @usableFromInline package static let longestDistance = 4

    /// The loss ratios at which the first repeated frame starts and ends.
    static let (begin, end) = (0.03, 0.007)
    /// The loss ratio at which it starts if the codec repairs nothing.
    static let beginAlone = 0.01
    /// The same for a second frame, with isolated losses.
    static let (beginSecond, endSecond) = (0.06, 0.04)
    /// The burst lengths, in packets, at which a second frame starts and ends.
    static let (row, endOfRow) = (1.8, 1.4)
    /// The burst lengths at which frames from further back start and end.
    static let (longRow, endOfLongRow) = (3.5, 2.5)
    /// The bitrate of the header of a repeated frame at 50 packets a second.
    static let header: Bitrate = .kilobits(2)

    @usableFromInline package private(set) var plan = Plan.none

    @usableFromInline package init() {}

    /// Updates the decision.
    ///
    /// - Parameters:
    ///   - frames: The bitrate of the frames without redundancy.
    ///   - room: The bitrate available for audio, without packet headers.
    ///   - codecRepairs: Whether the codec's own redundancy repairs single losses.
    package mutating func update(
        _ loss: PacketLossEstimator, frames: Bitrate, room: Bitrate, codecRepairs: Bool
    ) {
        update(share: loss.share, row: loss.burstLength, frames: frames, room: room, codecRepairs: codecRepairs)
    }

    mutating func update(share: Double, row: Double, frames: Bitrate, room: Bitrate, codecRepairs: Bool = true) {
        var next = wanted(share: share, row: row, begin: codecRepairs ? Self.begin : Self.beginAlone)
        while next.frames > 0, !fits(next.frames, frames, room) { next.frames -= 1 }
        plan = next.frames > 0 ? next : .none
    }

    /// Repeats nothing.
    @usableFromInline package mutating func stop() { plan = .none }

    private func wanted(share: Double, row: Double, begin: Double) -> Plan {
        guard share >= (plan.frames > 0 ? Self.end : begin) else { return .none }
        let isLong = row >= (plan.spacing > 1 ? Self.endOfLongRow : Self.longRow)
        let isRow = row >= (plan.frames > 1 ? Self.endOfRow : Self.row)
        let isOften = share >= (plan.frames > 1 ? Self.endSecond : Self.beginSecond)
        return Plan(frames: isLong || isRow || isOften ? 2 : 1, spacing: isLong ? 2 : 1)
    }

    /// Whether `count` repeated frames fit beside each packet's own; an increase must leave a fifth of the room free.
    private func fits(_ count: Int, _ frames: Bitrate, _ room: Bitrate) -> Bool {
        let needed = frames.bitsPerSecond * Int64(count + 1) + Self.header.bitsPerSecond * Int64(count)
        return needed <= (count > plan.frames ? room.bitsPerSecond / 5 * 4 : room.bitsPerSecond)
    }
}
