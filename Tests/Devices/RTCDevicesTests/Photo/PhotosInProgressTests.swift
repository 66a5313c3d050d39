import RTCWire
import Testing

@testable import RTCDevices

/// What the framework calls, in its order: https://developer.apple.com/documentation/avfoundation/avcapturephotocapturedelegate
@Suite("Photos that are being taken")
struct PhotosInProgressTests {
    private func makeOne(_ numbers: Int64...) throws -> PhotosInProgress<String> {
        var photos = PhotosInProgress<String>()
        for number in numbers {
            let plan = try PhotoPlan(PhotoSettings(), rotation: .clockwise90, of: FakePhotoOutput.telephone)
            photos.begin(number, plan, "waiter \(number)")
        }
        return photos
    }

    private func process(
        _ photos: inout PhotosInProgress<String>, _ number: Int64, _ bytes: [UInt8]?, _ error: DeviceError? = nil
    ) {
        photos.processed(
            number, bytes, size: Photo.Size(width: 4, height: 3), at: .zero, of: Cameras.back, error: error)
    }

    @Test("Each waiter gets the photo of its own settings, also when two are taken at once")
    func two() throws {
        var photos = try makeOne(1, 2)
        process(&photos, 2, [2])
        process(&photos, 1, [1])
        let (second, first) = (photos.finish(2, error: nil), photos.finish(1, error: nil))
        #expect(first?.waiter == "waiter 1" && second?.waiter == "waiter 2")
        #expect(try first?.result.get().bytes == [1])
        #expect(try second?.result.get().orientation == .right)
        #expect(photos.isEmpty)
    }

    @Test("Nobody waits for ever: the end without a photo is an error, and a second end is nothing")
    func ends() throws {
        var photos = try makeOne(1)
        let end = photos.finish(1, error: DeviceError(ofPhoto: -11_808, "gone"))
        #expect(throws: DeviceError(.disconnected, "gone")) { try end?.result.get() }
        let second = photos.finish(1, error: nil)
        #expect(second?.waiter == nil)

        photos = try makeOne(2)
        let silent = photos.finish(2, error: nil)
        #expect(throws: DeviceError.self) { try silent?.result.get() }
    }

    @Test("An error while it is processed is the result; one after it is not")
    func errors() throws {
        var photos = try makeOne(1, 2, 3)
        process(&photos, 1, nil, DeviceError(ofPhoto: -11_815, "in use"))
        process(&photos, 2, [2])
        process(&photos, 3, nil)
        let (first, second, third) = (
            photos.finish(1, error: nil), photos.finish(2, error: DeviceError(.failed, "late")),
            photos.finish(3, error: nil)
        )
        #expect(throws: DeviceError(.busy, "in use")) { try first?.result.get() }
        #expect(try second?.result.get().bytes == [2])
        #expect(throws: DeviceError.self) { try third?.result.get() }
    }

    @Test("A camera that is closed ends all of them")
    func closes() throws {
        var photos = try makeOne(1, 2)
        let ends = photos.endAll(DeviceError(.disconnected, "gone"))
        #expect(ends.map(\.waiter) == ["waiter 1", "waiter 2"] && photos.isEmpty)
        process(&photos, 1, [1])
        let late = photos.finish(1, error: nil)
        #expect(late?.waiter == nil)
    }
}
