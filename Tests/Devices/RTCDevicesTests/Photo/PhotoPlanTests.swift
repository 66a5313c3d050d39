import RTCWire
import Testing

@testable import RTCDevices

@Suite("What a photo is taken with")
struct PhotoPlanTests {
    private static let outputs = [
        FakePhotoOutput.telephone, FakePhotoOutput.webcam,
        PhotoPlan.Output(
            isConnected: true, formats: [.heic], flashes: [], maxQualityPrioritization: .balanced, sizes: [],
            turns: [.none, .clockwise180], mirrors: true),
        .pictures(width: 640, height: 360),
    ]

    @Test("No wish makes a camera's output raise an exception: it is a photo, or an error", arguments: outputs)
    func noExceptions(output: PhotoPlan.Output) {
        var fake = FakePhotoOutput(output)
        var number: Int64 = 0
        for format in Photo.Format.allCases {
            for flash in PhotoSettings.Flash.allCases {
                for qualityPrioritization in PhotoSettings.QualityPrioritization.allCases {
                    for size in [nil, Photo.Size(width: 1, height: 1), Photo.Size(width: 99_999, height: 9)] {
                        for rotation in VideoRotation.allCases {
                            for isMirrored in [true, false] {
                                let wanted = PhotoSettings(
                                    format: format, flash: flash, qualityPrioritization: qualityPrioritization,
                                    size: size, isMirrored: isMirrored)
                                do throws(DeviceError) {
                                    let plan = try PhotoPlan(wanted, rotation: rotation, of: output)
                                    number += 1
                                    fake.capture(number, plan)
                                } catch {
                                    #expect(error.code == .unsupported)
                                }
                            }
                        }
                    }
                }
            }
        }
        #expect(fake.exceptions.isEmpty && number > 0)
    }

    @Test("A size is the smallest that is large enough, or the largest that the output was made ready for")
    func sizes() throws {
        func size(_ wanted: Photo.Size?, _ output: PhotoPlan.Output) throws -> Int? {
            try PhotoPlan(PhotoSettings(size: wanted), rotation: .none, of: output).size?.width
        }
        #expect(try size(nil, FakePhotoOutput.telephone) == 8_064)
        #expect(try size(Photo.Size(width: 2_000, height: 1_000), FakePhotoOutput.telephone) == 4_032)
        #expect(try size(Photo.Size(width: 9_000, height: 1_000), FakePhotoOutput.telephone) == 8_064)
        var unready = FakePhotoOutput.telephone
        unready.largest = Photo.Size(width: 4_032, height: 3_024)
        #expect(try size(nil, unready) == 4_032)
        #expect(try size(nil, FakePhotoOutput.webcam) == 640)
    }

    /// "The dimensions set must match one of the dimensions returned by (…) supportedMaxPhotoDimensions for the current active format.
    /// Changing this property may trigger a lengthy reconfiguration".
    /// https://developer.apple.com/documentation/avfoundation/avcapturephotooutput/maxphotodimensions
    @Test("An output is made ready for the camera's largest photos, once for each of its formats")
    func preparation() throws {
        var output = FakePhotoOutput.telephone
        let before = try #require(output.largest)
        #expect(PhotoPlan.preparation(of: before, for: output.sizes) == nil)
        // The app has chosen another format, whose photos are smaller.
        output.sizes = [Photo.Size(width: 1_280, height: 720), Photo.Size(width: 2_560, height: 1_440)]
        output.largest = PhotoPlan.preparation(of: before, for: output.sizes)
        #expect(output.largest == Photo.Size(width: 2_560, height: 1_440))
        let plan = try PhotoPlan(PhotoSettings(), rotation: .none, of: output)
        #expect(plan.size == output.largest)
        #expect(PhotoPlan.preparation(of: before, for: []) == nil)
    }

    @Test("A camera without a flash goes without, unless there has to be one")
    func flash() throws {
        let plan = try PhotoPlan(PhotoSettings(flash: .automatic), rotation: .none, of: FakePhotoOutput.webcam)
        #expect(plan.flash == .off)
        #expect(throws: DeviceError.self) {
            try PhotoPlan(PhotoSettings(flash: .on), rotation: .none, of: FakePhotoOutput.webcam)
        }
    }

    @Test("What cannot be HEIC is JPEG, and effort is as much as there is")
    func formats() throws {
        let wanted = PhotoSettings(format: .heic, qualityPrioritization: .quality)
        let plan = try PhotoPlan(wanted, rotation: .none, of: FakePhotoOutput.webcam)
        #expect(plan.format == .jpeg && plan.qualityPrioritization == .speed)
        #expect(try PhotoPlan(wanted, rotation: .none, of: FakePhotoOutput.telephone).format == .heic)
    }

    @Test("The orientation says what was done: an angle that the output does not have leaves the photo as it is")
    func orientation() throws {
        func orientation(_ output: PhotoPlan.Output, isMirrored: Bool = false) throws -> ExifOrientation {
            try PhotoPlan(PhotoSettings(isMirrored: isMirrored), rotation: .clockwise90, of: output).orientation
        }
        #expect(try orientation(FakePhotoOutput.telephone) == .right)
        #expect(try orientation(FakePhotoOutput.telephone, isMirrored: true) == .leftMirrored)
        #expect(try orientation(FakePhotoOutput.webcam) == .up)
        #expect(throws: DeviceError.self) { try orientation(FakePhotoOutput.webcam, isMirrored: true) }
    }

    @Test("While nothing is delivered, no photo is taken")
    func unconnected() throws {
        var output = FakePhotoOutput.telephone
        output.isConnected = false
        let error = #expect(throws: DeviceError.self) { try PhotoPlan(PhotoSettings(), rotation: .none, of: output) }
        #expect(error?.code == .failed)
    }
}
