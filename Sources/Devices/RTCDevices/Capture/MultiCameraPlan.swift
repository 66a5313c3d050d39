/// The formats in which several cameras capture at once: fast and large, until the hardware says that it is too much.
///
/// What a format costs nobody knows before it is set: the session says, as a share of what the hardware has. Above 1 it does not run.
struct MultiCameraPlan: Sendable, Hashable {
    /// What is done with each of ``chosen``.
    enum Step: Sendable, Hashable {
        case lock
        case useFormat
        /// Without it a format costs as much as its fastest rate, however few pictures a second come of it.
        case limitInput
        case useRate
        case unlock
    }

    static let steps: [Step] = [.lock, .useFormat, .limitInput, .useRate, .unlock]

    /// One of each camera, in their order.
    private(set) var chosen: [CaptureFormat]
    private let possible: [[CameraFormat]]

    /// A call needs no more than this, and can do with no less.
    private static let rates = [60.0, 30, 24, 15]

    /// - Parameter formats: Of each camera, those that it has beside others; the framework raises an exception for another one.
    /// - Throws: ``DeviceError`` `unsupported` for a camera that has none.
    init(_ request: CaptureRequest, formats: [[CameraFormat]]) throws(DeviceError) {
        possible = formats
        chosen = []
        for (index, formats) in formats.enumerated() {
            guard let format = FormatChoice.nearest(to: request, of: formats) else {
                let number = "camera \(index + 1) of \(possible.count)"
                throw DeviceError(.unsupported, "\(number) has no format beside other cameras")
            }
            chosen.append(format)
        }
    }

    /// Asks for less: fewer pictures a second of the camera that has most, as far as 24; then smaller ones of the one that has the
    /// largest; then 15 a second.
    ///
    /// - Returns: Whether there was less to ask for.
    mutating func reduce() -> Bool {
        lowerRate(notBelow: 24) || shrink() || lowerRate(notBelow: 15)
    }

    private mutating func lowerRate(notBelow least: Double) -> Bool {
        let next = chosen.indices.compactMap { index -> (index: Int, rate: Double)? in
            let format = chosen[index]
            let rate = Self.rates.first { rate in
                rate >= least && rate < format.frameRate - 0.5
                    && format.format.frameRates.contains { $0.contains(rate) }
            }
            return rate.map { (index, $0) }
        }.max { chosen[$0.index].frameRate < chosen[$1.index].frameRate }
        guard let next else { return false }
        chosen[next.index].frameRate = next.rate
        return true
    }

    private mutating func shrink() -> Bool {
        func area(_ format: CameraFormat) -> Int { format.width * format.height }
        let next = chosen.indices.compactMap { index -> (index: Int, format: CaptureFormat)? in
            let smaller = possible[index].filter { area($0) < area(chosen[index].format) }
            guard let largest = smaller.map(area).max() else { return nil }
            let request = CaptureRequest(
                width: chosen[index].format.width, height: chosen[index].format.height,
                frameRate: chosen[index].frameRate)
            return FormatChoice.nearest(to: request, of: smaller.filter { area($0) == largest }).map { (index, $0) }
        }.max { area(chosen[$0.index].format) < area(chosen[$1.index].format) }
        guard let next else { return false }
        chosen[next.index] = next.format
        return true
    }
}
