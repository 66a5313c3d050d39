/// The formats in which several cameras capture at once: the largest and fastest that the hardware can run together.
///
/// The cost of a format is known only after it is set: the session reports it as a share of the hardware's capacity. A
/// session above 1 does not run.
struct MultiCameraPlan: Sendable, Hashable {
    /// The steps that apply each of ``chosen``.
    enum Step: Sendable, Hashable {
        case lock
        case useFormat
        /// Limit the input's frame rate; otherwise a format costs as much as its fastest rate, even if few frames a
        /// second are captured.
        case limitInput
        case useRate
        case unlock
    }

    static let steps: [Step] = [.lock, .useFormat, .limitInput, .useRate, .unlock]

    /// One format for each camera, in the order of the cameras.
    private(set) var chosen: [CaptureFormat]
    private let possible: [[CameraFormat]]

    /// The frame rates to choose from: a call needs no more than the highest, and no less than the lowest.
    private static let rates = [60.0, 30, 24, 15]

    /// - Parameter formats: For each camera, its formats beside other cameras; the framework raises an exception for
    ///   any other one.
    /// - Throws: ``DeviceError`` `unsupported` for a camera that has no such format.
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

    /// Reduces the request: first the highest frame rate, but not below 24; then the largest frame size; then the frame
    /// rate to 15.
    ///
    /// - Returns: Whether anything could be reduced.
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
