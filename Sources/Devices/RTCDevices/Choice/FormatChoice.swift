extension MediaDevice {
    /// Returns the format and frame rate nearest to a request; `nil` if the camera's formats are unknown.
    public func captureFormat(nearestTo request: CaptureRequest) -> CaptureFormat? {
        FormatChoice.nearest(to: request, of: formats)
    }

    /// Whether the camera supports exactly this size. External cameras may support VGA and 720p alone.
    public func supports(_ preset: CapturePreset) -> Bool {
        formats.contains { $0.width == preset.width && $0.height == preset.height }
    }
}

/// Named frame sizes.
public enum CapturePreset: String, Sendable, Hashable, CaseIterable {
    case vga, hd720, hd1080, uhd4K

    package var width: Int { size.width }
    package var height: Int { size.height }

    private var size: (width: Int, height: Int) {
        switch self {
        case .vga: (640, 480)
        case .hd720: (1_280, 720)
        case .hd1080: (1_920, 1_080)
        case .uhd4K: (3_840, 2_160)
        }
    }

    /// A request for this size at 30 frames per second.
    public var request: CaptureRequest { CaptureRequest(width: width, height: height) }
}

enum FormatChoice {
    /// Formats that have the requested size come first. Of the others, a larger one is nearer than a smaller one, since
    /// it can be scaled down; another aspect ratio costs more than another size, since frames have to be cropped. A
    /// frame rate that is not reached costs as much as a size that is not reached. Between equal formats, the pixel
    /// format that needs the least conversion wins.
    static func nearest(to request: CaptureRequest, of formats: [CameraFormat]) -> CaptureFormat? {
        let wanted = CaptureRequest(
            width: max(1, request.width), height: max(1, request.height),
            frameRate: request.frameRate.isFinite ? max(1, request.frameRate) : 30)
        var best: (cost: Double, work: Int, choice: CaptureFormat)?
        for format in formats where format.width > 0 && format.height > 0 {
            let rate = nearestRate(to: wanted.frameRate, in: format.frameRates)
            let cost = sizeCost(of: format, wanted) + rateCost(of: rate, wanted.frameRate)
            let work = work(for: format.pixelFormat)
            if let best, (best.cost, best.work) <= (cost, work) { continue }
            best = (cost, work, CaptureFormat(format: format, frameRate: rate))
        }
        return best?.choice
    }

    private static func nearestRate(to wanted: Double, in ranges: [ClosedRange<Double>]) -> Double {
        let usable = ranges.filter { $0.lowerBound.isFinite && $0.upperBound.isFinite && $0.upperBound > 0 }
        guard !usable.isEmpty else { return wanted }
        let rates = usable.map { min(max(wanted, $0.lowerBound), $0.upperBound) }
        return rates.min { (rateCost(of: $0, wanted), $0) < (rateCost(of: $1, wanted), $1) } ?? wanted
    }

    private static func sizeCost(of format: CameraFormat, _ wanted: CaptureRequest) -> Double {
        let (width, height) = (Double(format.width), Double(format.height))
        let (wantedWidth, wantedHeight) = (Double(wanted.width), Double(wanted.height))
        let tooSmall = octaves(wantedWidth / width, above: 1) + octaves(wantedHeight / height, above: 1)
        let tooLarge = octaves(width / wantedWidth, above: 1) + octaves(height / wantedHeight, above: 1)
        let ratio = width * wantedHeight / (height * wantedWidth)
        let shape = octaves(max(ratio, 1 / ratio), above: 1)
        return 2 * tooSmall + 0.5 * tooLarge + 1.5 * shape
    }

    /// 29.97 counts as 30.
    private static func rateCost(of rate: Double, _ wanted: Double) -> Double {
        let missing = octaves(wanted / max(rate, 0.1), above: 1)
        return missing < 0.01 ? 0.1 * octaves(rate / wanted, above: 1.01) : 2 * missing
    }

    /// The binary logarithm; 0 for ratios below `limit`.
    private static func octaves(_ ratio: Double, above limit: Double) -> Double {
        ratio > limit ? logarithm(ratio) : 0
    }

    /// Approximates the binary logarithm for comparisons: exact at powers of two, and linear between them.
    private static func logarithm(_ ratio: Double) -> Double { Double(ratio.exponent) + ratio.significand - 1 }

    private static func work(for format: CameraFormat.PixelFormat) -> Int {
        switch format {
        case .nv12, .i420: 0
        case .yuy2, .uyvy: 1
        case .bgra: 2
        case .mjpeg: 3
        case .h264: 4
        default: 5
        }
    }
}
