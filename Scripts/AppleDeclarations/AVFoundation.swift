@_exported public import AVFAudio
public import CoreMedia
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
