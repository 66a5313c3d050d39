import Testing

@testable import RTCDevices

@Suite("Which format of a camera to use")
struct FormatChoiceTests {
    private static func format(
        _ width: Int, _ height: Int, _ rates: [ClosedRange<Double>] = [30...30],
        _ pixels: CameraFormat.PixelFormat = .yuy2
    ) -> CameraFormat {
        CameraFormat(width: width, height: height, frameRates: rates, pixelFormat: pixels)
    }

    private static func camera(_ formats: [CameraFormat]) -> MediaDevice {
        MediaDevice(id: "a", media: .camera, name: "A", formats: formats)
    }

    private static let usb2 = camera([
        format(1_920, 1_080, [5...5]), format(1_920, 1_080, [30...30, 15...15], .mjpeg),
        format(1_280, 720, [10...10]), format(1_280, 720, [60...60, 30...30], .mjpeg),
        format(640, 480, [30...30, 15...15]), format(640, 360, [30...30]), format(320, 240, [30...30]),
    ])

    @Test("What is wanted is taken where the camera has it; the rate may need a compressed form")
    func exact() {
        let choice = Self.usb2.captureFormat(nearestTo: .hd720)
        #expect(choice?.format == Self.format(1_280, 720, [60...60, 30...30], .mjpeg))
        #expect(choice?.frameRate == 30)
        let vga = Self.usb2.captureFormat(nearestTo: .vga)
        #expect(vga?.format.pixelFormat == .yuy2)
        #expect(vga?.format.width == 640)
    }

    @Test("Between equals, the pixels that need the least work")
    func leastWork() {
        let formats = [CameraFormat.PixelFormat.h264, .mjpeg, .yuy2, .nv12, .bgra].map {
            Self.format(640, 480, [30...30], $0)
        }
        #expect(Self.camera(formats).captureFormat(nearestTo: .vga)?.format.pixelFormat == .nv12)
    }

    @Test("A camera with VGA and 720p alone serves every wish")
    func twoFormats() {
        let camera = Self.camera([Self.format(640, 480), Self.format(1_280, 720)])
        #expect(camera.captureFormat(nearestTo: .uhd4K)?.format.height == 720)
        #expect(camera.captureFormat(nearestTo: CaptureRequest(width: 320, height: 240))?.format.height == 480)
        #expect(camera.captureFormat(nearestTo: CaptureRequest(width: 960, height: 540))?.format.height == 720)
        #expect(!camera.supports(.hd1080))
        #expect(camera.supports(.vga))
    }

    @Test("A camera with VGA alone works")
    func vgaOnly() {
        let camera = Self.camera([Self.format(640, 480, [15...30])])
        for preset in CapturePreset.allCases {
            #expect(camera.captureFormat(nearestTo: preset.request)?.format.width == 640)
            #expect(camera.supports(preset) == (preset == .vga))
        }
    }

    @Test("The rate is the nearest within the ranges", arguments: [(24.0, 24.0), (60, 30), (5, 7.5), (12, 15)])
    func rates(_ wanted: Double, _ expected: Double) {
        let camera = Self.camera([Self.format(640, 480, [7.5...7.5, 15...30])])
        let request = CaptureRequest(width: 640, height: 480, frameRate: wanted)
        #expect(camera.captureFormat(nearestTo: request)?.frameRate == expected)
    }

    @Test("29.97 pictures a second are 30")
    func almost() {
        let camera = Self.camera([Self.format(1_280, 720, [29.97...29.97]), Self.format(1_920, 1_080, [30...30])])
        #expect(camera.captureFormat(nearestTo: .hd720)?.format.height == 720)
    }

    @Test("A slow large format loses against a fast smaller one, and a slightly larger one against none")
    func balance() {
        let slow = Self.camera([Self.format(1_280, 720, [5...5]), Self.format(960, 540, [30...30])])
        #expect(slow.captureFormat(nearestTo: .hd720)?.format.height == 540)
        let larger = Self.camera([Self.format(1_600, 900), Self.format(640, 360)])
        #expect(larger.captureFormat(nearestTo: .hd720)?.format.height == 900)
    }

    @Test("A camera that does not say what it has is opened with what it likes")
    func unknown() {
        #expect(Self.camera([]).captureFormat(nearestTo: .hd720) == nil)
        let noRates = Self.camera([Self.format(640, 480, [])])
        #expect(noRates.captureFormat(nearestTo: .vga)?.frameRate == 30)
    }

    @Test("Whatever a device claims, there is an answer")
    func nonsense() {
        var random = SplitMix(seed: 3)
        let numbers = [0, -1, 1, 480, 640, 100_000, Int.max, Int.min]
        let rates: [Double] = [0, -1, 30, 1_000_000, .infinity, -.infinity, .leastNonzeroMagnitude]
        for _ in 0..<5_000 {
            let pair = [rates.randomElement(using: &random) ?? 0, rates.randomElement(using: &random) ?? 0].sorted()
            let camera = Self.camera([
                Self.format(
                    numbers.randomElement(using: &random) ?? 0, numbers.randomElement(using: &random) ?? 0,
                    [pair[0]...pair[1]])
            ])
            let request = CaptureRequest(
                width: numbers.randomElement(using: &random) ?? 0, height: numbers.randomElement(using: &random) ?? 0,
                frameRate: rates.randomElement(using: &random) ?? .nan)
            let choice = camera.captureFormat(nearestTo: request)
            #expect(choice.map { $0.frameRate.isFinite && $0.format.width > 0 } ?? true)
        }
    }
}
