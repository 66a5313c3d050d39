import RTCWire

@testable import RTCDevices

/// A photo output with the framework's rules. What would raise an exception it writes down.
///
/// https://developer.apple.com/documentation/avfoundation/avcapturephotooutput/capturephoto(with:delegate:)
struct FakePhotoOutput {
    var has: PhotoPlan.Output
    private(set) var exceptions: [String] = []
    private var used: Set<Int64> = []

    init(_ has: PhotoPlan.Output) { self.has = has }

    mutating func capture(_ number: Int64, _ plan: PhotoPlan) {
        // "The receiver throws an NSInvalidArgumentException if your settings.uniqueID matches that of any previously used settings."
        if !used.insert(number).inserted { exceptions.append("settings that were used before") }
        // "No active and enabled video connection."
        if !has.isConnected { exceptions.append("no connection") }
        // "(…) its value must be present in the receiver's availablePhotoCodecTypes array."
        if !has.formats.contains(plan.format) { exceptions.append("codec \(plan.format)") }
        // "The specified flashMode must be present in the receiver's supportedFlashModes array." Off is the default.
        if plan.flash != .off, !has.flashes.contains(plan.flash) { exceptions.append("flash \(plan.flash)") }
        // https://developer.apple.com/documentation/avfoundation/avcapturephotosettings/photoqualityprioritization
        if plan.qualityPrioritization > has.maxQualityPrioritization {
            exceptions.append("effort \(plan.qualityPrioritization)")
        }
        // https://developer.apple.com/documentation/avfoundation/avcapturephotosettings/maxphotodimensions
        if let size = plan.size {
            let isListed = has.sizes.contains(size)
            let isReady = has.largest.map { size.width <= $0.width && size.height <= $0.height } ?? true
            if !isListed || !isReady { exceptions.append("size \(size.width)x\(size.height)") }
        }
        // https://developer.apple.com/documentation/avfoundation/avcaptureconnection/isvideorotationanglesupported(_:)
        if let rotation = plan.rotation, !has.turns.contains(rotation) { exceptions.append("angle \(rotation)") }
        // https://developer.apple.com/documentation/avfoundation/avcaptureconnection/isvideomirrored
        if plan.isMirrored != nil, !has.mirrors { exceptions.append("mirroring") }
    }

    /// A telephone's.
    static let telephone = PhotoPlan.Output(
        isConnected: true, formats: [.jpeg, .heic], flashes: [.off, .automatic, .on],
        maxQualityPrioritization: .quality,
        sizes: [
            Photo.Size(width: 1_920, height: 1_080), Photo.Size(width: 4_032, height: 3_024),
            Photo.Size(width: 8_064, height: 6_048),
        ], largest: Photo.Size(width: 8_064, height: 6_048), turns: Set(VideoRotation.allCases), mirrors: true)

    /// A cheap camera that was plugged in.
    static let webcam = PhotoPlan.Output(
        isConnected: true, formats: [.jpeg], flashes: [.off], maxQualityPrioritization: .speed,
        sizes: [Photo.Size(width: 640, height: 480)], turns: [.none], mirrors: false)
}
