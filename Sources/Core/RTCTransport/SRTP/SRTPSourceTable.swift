/// The state of each synchronization source: its highest packet index, and the indices below it that were seen (RFC
/// 3711, sections 3.3.1 and 3.3.2).
///
/// The replay window of a source is a ring of bits, one for each index below the highest. Sources are never removed,
/// because a removed source's packets could be replayed. Their number is bounded instead.
struct SRTPSourceTable {
    struct Source {
        /// The highest index so far: rollover counter and sequence number, or an SRTCP index.
        fileprivate(set) var highest: UInt64
        /// 0 when the last packet was authentic; else the number of consecutive failures, cycling from 1 to 4.
        var failures: UInt8 = 0

        fileprivate mutating func accept(_ index: UInt64) {
            highest = max(highest, index)
            failures = 0
        }
    }

    /// The maximum number of sources.
    let maximumCount: Int
    private let windowSize: Int
    /// The SSRCs, stored apart from the rest so that a search reads little memory.
    private var numbers: [UInt32] = []
    private var sources: [Source] = []
    /// `windowSize` bits for each source.
    private var windows: [UInt64] = []
    /// The slot of the last search: packets arrive in trains.
    private var latest = 0

    /// - Parameter windowSize: The number of indices by which a packet may be late; a power of two, 64 or more.
    init(windowSize: Int, maximumCount: Int) {
        self.windowSize = windowSize
        self.maximumCount = maximumCount
    }

    var count: Int { numbers.count }
    var isFull: Bool { numbers.count >= maximumCount }

    /// The slot of `ssrc`, or `nil` for a new source.
    mutating func find(_ ssrc: UInt32) -> Int? {
        if latest < numbers.count, numbers[latest] == ssrc { return latest }
        guard let slot = numbers.firstIndex(of: ssrc) else { return nil }
        latest = slot
        return slot
    }

    subscript(slot: Int) -> Source {
        _read { yield sources[slot] }
        _modify { yield &sources[slot] }
    }

    /// Adds a source with its first index. The caller has checked that there is room.
    mutating func insert(_ ssrc: UInt32, index: UInt64) {
        latest = numbers.count
        numbers.append(ssrc)
        sources.append(Source(highest: index))
        windows.append(contentsOf: repeatElement(0, count: windowSize / 64))
        set(index, at: latest)
    }

    enum Verdict {
        /// Not seen before.
        case new
        case seen
        /// Outside of the replay window, so unknown whether it was seen.
        case tooOld
    }

    /// Checks `index` against the replay window.
    func verdict(on index: UInt64, at slot: Int) -> Verdict {
        let highest = sources[slot].highest
        if index > highest { return .new }
        guard highest - index < UInt64(windowSize) else { return .tooOld }
        let (word, bit) = place(of: index, at: slot)
        return windows[word] & bit == 0 ? .new : .seen
    }

    /// Marks `index` as seen. The caller has checked the verdict before.
    mutating func accept(_ index: UInt64, at slot: Int) {
        let next = sources[slot].highest &+ 1
        if index > next { forget(next..<index, at: slot) }
        sources[slot].accept(index)
        set(index, at: slot)
    }

    /// Clears the bits of skipped indices, which still hold indices of one cycle earlier.
    private mutating func forget(_ skipped: Range<UInt64>, at slot: Int) {
        guard skipped.upperBound - skipped.lowerBound < UInt64(windowSize) else {
            let first = slot * (windowSize / 64)
            for word in first..<first + windowSize / 64 { windows[word] = 0 }
            return
        }
        for index in skipped {
            let (word, bit) = place(of: index, at: slot)
            windows[word] &= ~bit
        }
    }

    private mutating func set(_ index: UInt64, at slot: Int) {
        let (word, bit) = place(of: index, at: slot)
        windows[word] |= bit
    }

    private func place(of index: UInt64, at slot: Int) -> (word: Int, bit: UInt64) {
        let position = Int(truncatingIfNeeded: index) & (windowSize - 1)
        return (slot * (windowSize / 64) + position / 64, 1 << UInt64(position % 64))
    }
}

extension SRTPSourceTable.Source {
    /// The most probable packet index for a sequence number: of those with these low 16 bits, the one nearest to the
    /// highest so far (RFC 3711, section 3.3.1). An estimate of more than 48 bits is invalid.
    func estimatedIndex(of sequenceNumber: UInt16) -> UInt64 {
        let rollover = highest >> 16
        let latest = UInt16(truncatingIfNeeded: highest)
        var estimate = rollover
        if latest < 0x8000 {
            // There is no cycle before the first, so such a packet came after a gap.
            if sequenceNumber > latest, sequenceNumber - latest > 0x8000, rollover > 0 { estimate = rollover - 1 }
        } else if latest - 0x8000 > sequenceNumber {
            estimate = rollover + 1
        }
        return estimate << 16 | UInt64(sequenceNumber)
    }
}
