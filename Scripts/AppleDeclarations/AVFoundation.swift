@_exported public import AVFAudio
public import CoreMedia
public import CoreGraphics
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
open class AVCaptureDevice: NSObject {
    public struct DeviceType: Hashable, Sendable, RawRepresentable {
        public let rawValue: String
        public init(rawValue: String) { fatalError() }
        public static let builtInWideAngleCamera = DeviceType(rawValue: "")
    }
    public enum Position: Int, Sendable {
        case unspecified = 0
        case back = 1
        case front = 2
    }
    open class RotationCoordinator: NSObject {
        public init(device: AVCaptureDevice, previewLayer: CALayer?) { fatalError() }
        open var videoRotationAngleForHorizonLevelCapture: CGFloat { fatalError() }
    }
    open class func `default`(_ deviceType: DeviceType, for mediaType: AVMediaType?, position: Position) -> AVCaptureDevice? { fatalError() }
    open class func `default`(for mediaType: AVMediaType) -> AVCaptureDevice? { fatalError() }
    open class func requestAccess(for mediaType: AVMediaType) async -> Bool { fatalError() }
}
open class AVCaptureInput: NSObject {}
open class AVCaptureDeviceInput: AVCaptureInput {
    public init(device: AVCaptureDevice) throws { fatalError() }
}
open class AVCaptureConnection: NSObject {}
open class AVCaptureOutput: NSObject {}
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
        public static let hd1280x720 = Preset(rawValue: "")
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
}
