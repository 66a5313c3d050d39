public import RTCWire

/// How much data channels may send beside sound and pictures, so that both are on time.
///
/// Sound comes first, then what is sent again; pictures and data share the rest by weight, and what one of them leaves the
/// other takes. Data begin with little and take their share within a second, by when encoders make less; they yield as
/// soon as pictures make use of theirs again. They leave in small pieces: sound waits behind one of them at most.
public struct DataBudget: Sendable {
    /// What data may have of what pictures and data share, 0 to 1, when both want more.
    public var share: Double
    /// Bits per second that data may make; `nil` as long as there are no media to be protected.
    public private(set) var rate: Bitrate?

    /// What has left lately.
    private var data = RecentBitrate(window: window)
    private var pictures = RecentBitrate(window: window)
    private var acknowledged = RecentBitrate(window: window)
    private var paidUntil = Instant(nanoseconds: .min)

    /// Over what time is measured what both make use of.
    private static let window = TimeDelta.milliseconds(300)
    /// What may leave in a row, as time at the rate; at least a packet.
    private static let burst = TimeDelta.milliseconds(5)
    /// By how much data grow in each of those times, and the part of the rest that they begin with.
    private static let (growth, beginning) = (1.2, 0.03)
    /// What data fill of all that is there, pictures included: they come without a pause, and leave no room for bursts.
    private static let fill = 0.93
    /// The same while a queue stands on the path, which has to drain.
    private static let drainingFill = 0.85
    /// Data are never told to send nothing: a file that does not move is given up.
    private static let least = 16_000.0

    public init(share: Double = 0.3) {
        self.share = min(max(share, 0), 1)
    }

    // MARK: What leaves

    public mutating func notePicture(_ size: Int, at now: Instant) { pictures.add(size, at: now) }

    /// A packet of SCTP's leaves.
    ///
    /// - Parameter carriesData: Acknowledgements and control, which never wait, are paid for by nobody: a peer that asks for
    ///   many of them would else keep our data waiting.
    public mutating func noteData(_ size: Int, carriesData: Bool = true, at now: Instant) {
        data.add(size, at: now)
        guard carriesData, let rate else { return }
        paidUntil = max(paidUntil, now) + rate.time(toSend: size)
    }

    /// So many bytes of data have arrived, as the other side says.
    public mutating func noteAcknowledged(_ size: Int, at now: Instant) { acknowledged.add(size, at: now) }

    /// When the next packet of data may leave.
    public var nextOpening: Instant { rate == nil ? Instant(nanoseconds: .min) : paidUntil - Self.burst }

    /// What data make on the path.
    public func traffic(at now: Instant) -> BesideTraffic {
        BesideTraffic(
            sent: Double(data.bitrate(at: now).bitsPerSecond),
            acknowledged: Double(acknowledged.bitrate(at: now).bitsPerSecond))
    }

    // MARK: Shares

    /// What pictures may make of the `rest` that they share with data.
    public func pictureShare(of rest: Int64, at now: Instant) -> Int64 {
        let most = Double(max(rest, 0)) * share
        return rest - Int64(min(Double(data.bitrate(at: now).bitsPerSecond), most))
    }

    /// Works out what data may make from now on.
    ///
    /// - Parameters:
    ///   - rest: What pictures and data share, in bits per second; `nil` while there are no media.
    ///   - isQueueing: Whether a queue stands on the path: data take no more of it meanwhile.
    public mutating func update(rest: Int64?, isQueueing: Bool = false, at now: Instant) {
        guard let rest else {
            rate = nil
            return
        }
        let all = Double(max(rest, 0))
        let fill = isQueueing ? Self.drainingFill : Self.fill
        let left = all * fill - Double(pictures.bitrate(at: now).bitsPerSecond)
        // Bit by bit, also into what pictures leave: the path has yet to show that it carries both.
        let sent = Double(data.bitrate(at: now).bitsPerSecond)
        let next = sent * (isQueueing ? 1 : Self.growth) + all * Self.beginning
        let bits = min(max(min(max(left, all * share), next), Self.least), 1e12)
        if rate == nil { paidUntil = now }
        rate = Bitrate(bitsPerSecond: Int64(bits))
        // A debt at a rate of old is not paid for at that rate.
        paidUntil = min(paidUntil, now + Self.burst + Bitrate(bitsPerSecond: Int64(bits)).time(toSend: 1_500))
    }
}

/// What goes the same way as media and is not told of by their feedback, in bits per second.
public struct BesideTraffic: Sendable {
    public var sent: Double
    public var acknowledged: Double
    /// What arrives, as far as it can be believed: acknowledgements may come in bunches, of more than has left meanwhile.
    var arrived: Double { min(sent, acknowledged) }

    public init(sent: Double = 0, acknowledged: Double = 0) {
        self.sent = sent
        self.acknowledged = acknowledged
    }
}
