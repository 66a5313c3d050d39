import Testing

@testable import RTCDevices

/// A session of several cameras with the framework's rules. What would raise an exception it writes down.
private struct FakeMultiSession {
    let usable: [[CameraFormat]]
    /// Pixels a second that the hardware has.
    let budget: Double
    private(set) var exceptions = 0
    private var active: [CaptureFormat] = []
    /// The rate that each camera's input was limited to.
    private var limits: [Double?] = []
    private var isLocked = false

    init(_ usable: [[CameraFormat]], budget: Double) { (self.usable, self.budget) = (usable, budget) }

    mutating func use(_ formats: [CaptureFormat]) {
        active = formats
        limits = formats.map { _ in nil }
        for (index, format) in formats.enumerated() {
            for step in MultiCameraPlan.steps { carryOut(step, format, index) }
            // "(…) activeFormat may only be set to one of the formats for which multiCamSupported answers YES."
            // https://developer.apple.com/documentation/avfoundation/avcapturedevice/format/ismulticamsupported
            if !usable[index].contains(format.format) { exceptions += 1 }
            // https://developer.apple.com/documentation/avfoundation/avcapturedevice/activevideominframeduration
            if !format.format.frameRates.contains(where: { $0.contains(format.frameRate) }) { exceptions += 1 }
        }
        if isLocked { exceptions += 1 }
    }

    private mutating func carryOut(_ step: MultiCameraPlan.Step, _ format: CaptureFormat, _ index: Int) {
        switch step {
        case .lock: isLocked = true
        case .unlock: isLocked = false
        // "(…) throws an NSGenericException if called without first obtaining exclusive access to the receiver".
        // https://developer.apple.com/documentation/avfoundation/avcapturedevice/activeformat
        case .useFormat, .useRate: if !isLocked { exceptions += 1 }
        // https://developer.apple.com/documentation/avfoundation/avcapturedeviceinput/videominframedurationoverride
        case .limitInput: limits[index] = format.frameRate
        }
    }

    /// "When your hardwareCost is greater than 1.0, the capture session cannot run (…)". Sizes are what it is made of, and the fastest
    /// rates of the formats: "You may also use AVCaptureDeviceInput's videoMinFrameDurationOverride property to (…) only pay the
    /// hardware cost for the max frame rate you intend to use".
    /// https://developer.apple.com/documentation/avfoundation/avcapturemulticamsession/hardwarecost
    var hardwareCost: Double {
        zip(active, limits).reduce(0) { cost, camera in
            let fastest = camera.0.format.frameRates.map(\.upperBound).max() ?? 0
            return cost + Double(camera.0.format.width * camera.0.format.height) * (camera.1 ?? fastest)
        } / budget
    }
}

@Suite("The formats of several cameras at once")
struct MultiCameraPlanTests {
    private static let formats = [(1_920, 1_080), (1_280, 720), (640, 480)].map { width, height in
        CameraFormat(width: width, height: height, frameRates: [1...60], pixelFormat: .nv12)
    }

    /// As the adapter does it.
    private func run(_ plan: inout MultiCameraPlan, _ session: inout FakeMultiSession) -> Bool {
        session.use(plan.chosen)
        while session.hardwareCost > 1 {
            guard plan.reduce() else { return false }
            session.use(plan.chosen)
        }
        return true
    }

    @Test("What the hardware can is left as it was asked for; what it cannot becomes slower first, and smaller then")
    func reduces() throws {
        let request = CaptureRequest(width: 1_920, height: 1_080, frameRate: 60)
        let megapixels = 1_920.0 * 1_080
        let shares = [(120.0, [1_920, 1_920]), (60, [1_920, 1_920]), (40, [1_280, 1_920]), (12, [640, 640])]
        for (share, expected) in shares {
            var session = FakeMultiSession([Self.formats, Self.formats], budget: megapixels * share)
            var plan = try MultiCameraPlan(request, formats: session.usable)
            let runs = run(&plan, &session)
            #expect(runs && session.exceptions == 0 && session.hardwareCost <= 1)
            #expect(plan.chosen.map(\.format.width).sorted() == expected, "\(share)")
            if share == 120 { #expect(plan.chosen.map(\.frameRate) == [60, 60]) }
            if share == 60 { #expect(plan.chosen.map(\.frameRate) == [30, 30]) }
        }
    }

    @Test("It ends, with less than which nothing is left to ask for")
    func ends() throws {
        var session = FakeMultiSession([Self.formats, [Self.formats[1]]], budget: 1)
        var plan = try MultiCameraPlan(.hd1080, formats: session.usable)
        let runs = run(&plan, &session)
        #expect(!runs && session.exceptions == 0)
        #expect(plan.chosen.map(\.format.width) == [640, 1_280] && plan.chosen.map(\.frameRate) == [15, 15])
        let hasLess = plan.reduce()
        #expect(!hasLess)
    }

    @Test("A camera that has no format beside others is an error")
    func unsupported() {
        let error = #expect(throws: DeviceError.self) { try MultiCameraPlan(.hd720, formats: [Self.formats, []]) }
        #expect(error?.code == .unsupported)
    }
}
