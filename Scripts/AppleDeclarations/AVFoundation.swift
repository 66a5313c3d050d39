@_exported public import AVFAudio
public import CoreMedia
public import CoreGraphics
public import CoreVideo
@_exported public import QuartzCore

public struct AVLayerVideoGravity: Sendable {
    public static var resizeAspect: AVLayerVideoGravity { fatalError() }
}

public enum AVQueuedSampleBufferRenderingStatus: Int, Sendable {
    case unknown = 0
    case rendering = 1
    case failed = 2
}

open class AVSampleBufferDisplayLayer: CALayer {
    open var videoGravity: AVLayerVideoGravity { get { fatalError() } set { fatalError() } }
    open var status: AVQueuedSampleBufferRenderingStatus { fatalError() }
    open var requiresFlushToResumeDecoding: Bool { fatalError() }
    open func enqueue(_ sampleBuffer: CMSampleBuffer) { fatalError() }
    open func flush() { fatalError() }
    open func flushAndRemoveImage() { fatalError() }
}

// MARK: Cameras

public struct AVMediaType: Hashable, Sendable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { fatalError() }
    public static let video = AVMediaType(rawValue: "")
    public static let audio = AVMediaType(rawValue: "")
}
public enum AVAuthorizationStatus: Int, Sendable {
    case notDetermined = 0
    case restricted = 1
    case denied = 2
    case authorized = 3
}
open class AVFrameRateRange: NSObject {
    open var minFrameRate: Float64 { fatalError() }
    open var maxFrameRate: Float64 { fatalError() }
    open var minFrameDuration: CMTime { fatalError() }
    open var maxFrameDuration: CMTime { fatalError() }
}
open class AVCaptureDevice: NSObject {
    public struct DeviceType: Hashable, Sendable, RawRepresentable {
        public let rawValue: String
        public init(rawValue: String) { fatalError() }
        public static let builtInWideAngleCamera = DeviceType(rawValue: "")
        public static let external = DeviceType(rawValue: "")
        public static let continuityCamera = DeviceType(rawValue: "")
        public static let microphone = DeviceType(rawValue: "")
        #if !os(macOS)
            public static let builtInUltraWideCamera = DeviceType(rawValue: "")
            public static let builtInTelephotoCamera = DeviceType(rawValue: "")
        #endif
    }
    public enum Position: Int, Sendable {
        case unspecified = 0
        case back = 1
        case front = 2
    }
    public enum FocusMode: Int, Sendable {
        case locked = 0
        case autoFocus = 1
        case continuousAutoFocus = 2
    }
    public enum ExposureMode: Int, Sendable {
        case locked = 0
        case autoExpose = 1
        case continuousAutoExposure = 2
        case custom = 3
    }
    open class Format: NSObject {
        open var formatDescription: CMFormatDescription { fatalError() }
        open var videoSupportedFrameRateRanges: [AVFrameRateRange] { fatalError() }
    }
    open class DiscoverySession: NSObject {
        public init(deviceTypes: [DeviceType], mediaType: AVMediaType?, position: Position) { fatalError() }
        open var devices: [AVCaptureDevice] { fatalError() }
    }
    open class RotationCoordinator: NSObject {
        public init(device: AVCaptureDevice, previewLayer: CALayer?) { fatalError() }
        open weak var device: AVCaptureDevice? { fatalError() }
        open weak var previewLayer: CALayer? { fatalError() }
        open var videoRotationAngleForHorizonLevelPreview: CGFloat { fatalError() }
        open var videoRotationAngleForHorizonLevelCapture: CGFloat { fatalError() }
    }
    open class func `default`(_ deviceType: DeviceType, for mediaType: AVMediaType?, position: Position) -> AVCaptureDevice? { fatalError() }
    open class func `default`(for mediaType: AVMediaType) -> AVCaptureDevice? { fatalError() }
    open class func authorizationStatus(for mediaType: AVMediaType) -> AVAuthorizationStatus { fatalError() }
    open class func requestAccess(for mediaType: AVMediaType) async -> Bool { fatalError() }
    open class func requestAccess(for mediaType: AVMediaType, completionHandler handler: @escaping @Sendable (Bool) -> Void) { fatalError() }
    open class var userPreferredCamera: AVCaptureDevice? { get { fatalError() } set { fatalError() } }
    open class var systemPreferredCamera: AVCaptureDevice? { fatalError() }

    public init?(uniqueID deviceUniqueID: String) { fatalError() }
    open var uniqueID: String { fatalError() }
    #if os(macOS)
        open var linkedDevices: [AVCaptureDevice] { fatalError() }
    #endif
    open var modelID: String { fatalError() }
    open var localizedName: String { fatalError() }
    open var deviceType: DeviceType { fatalError() }
    open var position: Position { fatalError() }
    open var isConnected: Bool { fatalError() }
    open var isSuspended: Bool { fatalError() }
    #if os(macOS)
        open var isInUseByAnotherApplication: Bool { fatalError() }
    #endif
    open func hasMediaType(_ mediaType: AVMediaType) -> Bool { fatalError() }
    open func supportsSessionPreset(_ preset: AVCaptureSession.Preset) -> Bool { fatalError() }
    open var formats: [Format] { fatalError() }
    open var activeFormat: Format { get { fatalError() } set { fatalError() } }
    open var activeVideoMinFrameDuration: CMTime { get { fatalError() } set { fatalError() } }
    open var activeVideoMaxFrameDuration: CMTime { get { fatalError() } set { fatalError() } }
    open func lockForConfiguration() throws { fatalError() }
    open func unlockForConfiguration() { fatalError() }
    open func isFocusModeSupported(_ focusMode: FocusMode) -> Bool { fatalError() }
    open var focusMode: FocusMode { get { fatalError() } set { fatalError() } }
    open func isExposureModeSupported(_ exposureMode: ExposureMode) -> Bool { fatalError() }
    open var exposureMode: ExposureMode { get { fatalError() } set { fatalError() } }
    #if !os(macOS)
        open var minAvailableVideoZoomFactor: CGFloat { fatalError() }
        open var maxAvailableVideoZoomFactor: CGFloat { fatalError() }
        open var videoZoomFactor: CGFloat { get { fatalError() } set { fatalError() } }
        open var isLockingFocusWithCustomLensPositionSupported: Bool { fatalError() }
        open func setFocusModeLocked(lensPosition: Float, completionHandler handler: ((CMTime) -> Void)? = nil) { fatalError() }
        open var minExposureTargetBias: Float { fatalError() }
        open var maxExposureTargetBias: Float { fatalError() }
        open func setExposureTargetBias(_ bias: Float, completionHandler handler: ((CMTime) -> Void)? = nil) { fatalError() }
    #endif
}
open class AVCaptureInput: NSObject {}
open class AVCaptureDeviceInput: AVCaptureInput {
    public init(device: AVCaptureDevice) throws { fatalError() }
}
open class AVCaptureConnection: NSObject {
    open var isVideoMirroringSupported: Bool { fatalError() }
    open var automaticallyAdjustsVideoMirroring: Bool { get { fatalError() } set { fatalError() } }
    open var isVideoMirrored: Bool { get { fatalError() } set { fatalError() } }
    open func isVideoRotationAngleSupported(_ videoRotationAngle: CGFloat) -> Bool { fatalError() }
    open var videoRotationAngle: CGFloat { get { fatalError() } set { fatalError() } }
}
open class AVCaptureOutput: NSObject {
    open func connection(with mediaType: AVMediaType) -> AVCaptureConnection? { fatalError() }
}
// Optional in the SDK; required here, or a misspelt one would pass.
public protocol AVCaptureVideoDataOutputSampleBufferDelegate: NSObjectProtocol {
    func captureOutput(_ output: AVCaptureOutput, didOutput sampleBuffer: CMSampleBuffer, from connection: AVCaptureConnection)
}
open class AVCaptureVideoDataOutput: AVCaptureOutput {
    public override init() { fatalError() }
    open var alwaysDiscardsLateVideoFrames: Bool { get { fatalError() } set { fatalError() } }
    open var videoSettings: [String: Any]! { get { fatalError() } set { fatalError() } }
    open func setSampleBufferDelegate(
        _ sampleBufferDelegate: (any AVCaptureVideoDataOutputSampleBufferDelegate)?,
        queue sampleBufferCallbackQueue: DispatchQueue?
    ) { fatalError() }
}
open class AVCaptureSession: NSObject {
    public struct Preset: Hashable, Sendable, RawRepresentable {
        public let rawValue: String
        public init(rawValue: String) { fatalError() }
        public static let vga640x480 = Preset(rawValue: "")
        public static let hd1280x720 = Preset(rawValue: "")
        public static let hd1920x1080 = Preset(rawValue: "")
        public static let hd4K3840x2160 = Preset(rawValue: "")
        #if !os(macOS)
            public static let inputPriority = Preset(rawValue: "")
        #endif
    }
    public override init() { fatalError() }
    open var inputs: [AVCaptureInput] { fatalError() }
    open var sessionPreset: Preset { get { fatalError() } set { fatalError() } }
    open func canSetSessionPreset(_ preset: Preset) -> Bool { fatalError() }
    open func canAddInput(_ input: AVCaptureInput) -> Bool { fatalError() }
    open func addInput(_ input: AVCaptureInput) { fatalError() }
    open func canAddOutput(_ output: AVCaptureOutput) -> Bool { fatalError() }
    open func addOutput(_ output: AVCaptureOutput) { fatalError() }
    open func beginConfiguration() { fatalError() }
    open func commitConfiguration() { fatalError() }
    open func startRunning() { fatalError() }
    open func stopRunning() { fatalError() }
    open var isRunning: Bool { fatalError() }
    open func removeInput(_ input: AVCaptureInput) { fatalError() }
    open func removeOutput(_ output: AVCaptureOutput) { fatalError() }
    open var synchronizationClock: CMClock? { fatalError() }
    #if !os(macOS)
        open var isMultitaskingCameraAccessSupported: Bool { fatalError() }
        open var isMultitaskingCameraAccessEnabled: Bool { get { fatalError() } set { fatalError() } }
    #endif
    public class var runtimeErrorNotification: Notification.Name { fatalError() }
    public class var wasInterruptedNotification: Notification.Name { fatalError() }
    public class var interruptionEndedNotification: Notification.Name { fatalError() }
}
public let AVCaptureSessionErrorKey = ""
open class AVCaptureVideoPreviewLayer: CALayer {
    public init(session: AVCaptureSession) { fatalError() }
    open var connection: AVCaptureConnection? { fatalError() }
}

// MARK: Films

public struct AVFileType: Hashable, Sendable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { fatalError() }
    public static let mov = AVFileType(rawValue: "")
    public static let mp4 = AVFileType(rawValue: "")
    public static let m4v = AVFileType(rawValue: "")
    public static let m4a = AVFileType(rawValue: "")
}
public struct AVVideoCodecType: Hashable, Sendable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { fatalError() }
    public static let h264 = AVVideoCodecType(rawValue: "")
}
public let AVVideoCodecKey = ""
public let AVVideoWidthKey = ""
public let AVVideoHeightKey = ""
public let AVVideoCompressionPropertiesKey = ""
public let AVVideoAverageBitRateKey = ""
public let AVVideoMaxKeyFrameIntervalDurationKey = ""
public let AVVideoAllowFrameReorderingKey = ""
public let AVVideoProfileLevelKey = ""
public let AVVideoProfileLevelH264HighAutoLevel = ""

open class AVAssetWriter: NSObject {
    public enum Status: Int, Sendable {
        case unknown = 0
        case writing = 1
        case completed = 2
        case failed = 3
        case cancelled = 4
    }
    public init(outputURL: URL, fileType outputFileType: AVFileType) throws { fatalError() }
    open var status: Status { fatalError() }
    open var error: (any Error)? { fatalError() }
    open var movieFragmentInterval: CMTime { get { fatalError() } set { fatalError() } }
    open func canApply(outputSettings: [String: Any]?, forMediaType mediaType: AVMediaType) -> Bool { fatalError() }
    open func canAdd(_ input: AVAssetWriterInput) -> Bool { fatalError() }
    open func add(_ input: AVAssetWriterInput) { fatalError() }
    open func startWriting() -> Bool { fatalError() }
    open func startSession(atSourceTime startTime: CMTime) { fatalError() }
    open func finishWriting(completionHandler handler: @escaping @Sendable () -> Void) { fatalError() }
}
open class AVAssetWriterInput: NSObject {
    public init(mediaType: AVMediaType, outputSettings: [String: Any]?) { fatalError() }
    open var expectsMediaDataInRealTime: Bool { get { fatalError() } set { fatalError() } }
    open var isReadyForMoreMediaData: Bool { fatalError() }
    open var transform: CGAffineTransform { get { fatalError() } set { fatalError() } }
    open var mediaTimeScale: CMTimeScale { get { fatalError() } set { fatalError() } }
    open func append(_ sampleBuffer: CMSampleBuffer) -> Bool { fatalError() }
    open func markAsFinished() { fatalError() }
}
open class AVAssetWriterInputPixelBufferAdaptor: NSObject {
    public init(assetWriterInput input: AVAssetWriterInput, sourcePixelBufferAttributes: [String: Any]? = nil) { fatalError() }
    open var assetWriterInput: AVAssetWriterInput { fatalError() }
    open func append(_ pixelBuffer: CVPixelBuffer, withPresentationTime presentationTime: CMTime) -> Bool { fatalError() }
}
