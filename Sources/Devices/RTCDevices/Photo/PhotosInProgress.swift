import RTCWire

/// The photos in progress, by the identifiers of their settings, each with its waiter.
///
/// For each photo the framework reports first that it was processed, and then, in every case, that the capture
/// finished. Either report may carry an error.
struct PhotosInProgress<Waiter: Sendable>: Sendable {
    /// The result of one photo.
    struct End: Sendable {
        let waiter: Waiter
        let result: Result<Photo, DeviceError>
    }

    private struct Entry: Sendable {
        let plan: PhotoPlan
        let waiter: Waiter
        var result: Result<Photo, DeviceError>?
    }

    private var all: [Int64: Entry] = [:]

    var isEmpty: Bool { all.isEmpty }

    mutating func begin(_ number: Int64, _ plan: PhotoPlan, _ waiter: Waiter) {
        all[number] = Entry(plan: plan, waiter: waiter)
    }

    /// - Parameter bytes: `nil` if the photo cannot be written as a file.
    mutating func processed(
        _ number: Int64, _ bytes: [UInt8]?, size: Photo.Size, at time: Instant, of camera: MediaDevice,
        error: DeviceError?
    ) {
        guard let plan = all[number]?.plan else { return }
        let photo = bytes.map {
            Photo(
                bytes: $0, format: plan.format, size: size, orientation: plan.orientation, capturedAt: time,
                camera: camera)
        }
        if let error {
            all[number]?.result = .failure(error)
        } else if let photo {
            all[number]?.result = .success(photo)
        } else {
            all[number]?.result = .failure(DeviceError(.failed, "the camera made no file of the photo"))
        }
    }

    /// Finishes a photo. One that was processed counts, even if an error followed.
    mutating func finish(_ number: Int64, error: DeviceError?) -> End? {
        guard let one = all.removeValue(forKey: number) else { return nil }
        let nothing = error ?? DeviceError(.failed, "the camera made no photo")
        return End(waiter: one.waiter, result: one.result ?? .failure(nothing))
    }

    /// Ends all photos in progress.
    mutating func endAll(_ error: DeviceError) -> [End] {
        defer { all = [:] }
        return all.keys.sorted().compactMap { all[$0] }.map { End(waiter: $0.waiter, result: .failure(error)) }
    }
}

extension DeviceError {
    /// Converts an AVError of a photo capture.
    ///
    /// https://developer.apple.com/documentation/avfoundation/averror-swift.struct/code
    init(ofPhoto code: Int, _ text: String) {
        let kind: Code =
            switch code {
            // deviceWasDisconnected, deviceNotConnected
            case -11_808, -11_814: .disconnected
            // deviceAlreadyUsedByAnotherSession, deviceInUseByAnotherApplication
            case -11_804, -11_815: .busy
            default: .failed
            }
        self.init(kind, text)
    }
}
