public import CoreFoundation
public import CoreGraphics
public import CoreMedia
public import CoreVideo

public typealias VTSession = CFTypeRef
public class VTCompressionSession {}
public class VTDecompressionSession {}

public struct VTEncodeInfoFlags: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}
public struct VTDecodeInfoFlags: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}
public struct VTDecodeFrameFlags: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

nonisolated(unsafe) public let kVTCompressionPropertyKey_RealTime: CFString = { fatalError() }()
nonisolated(unsafe) public let kVTCompressionPropertyKey_AllowFrameReordering: CFString = { fatalError() }()
nonisolated(unsafe) public let kVTCompressionPropertyKey_ProfileLevel: CFString = { fatalError() }()
nonisolated(unsafe) public let kVTCompressionPropertyKey_MaxKeyFrameInterval: CFString = { fatalError() }()
nonisolated(unsafe) public let kVTCompressionPropertyKey_MaxKeyFrameIntervalDuration: CFString = { fatalError() }()
nonisolated(unsafe) public let kVTCompressionPropertyKey_MaxH264SliceBytes: CFString = { fatalError() }()
nonisolated(unsafe) public let kVTCompressionPropertyKey_AverageBitRate: CFString = { fatalError() }()
nonisolated(unsafe) public let kVTCompressionPropertyKey_ExpectedFrameRate: CFString = { fatalError() }()
@available(iOS 15.0, macOS 12.0, *)
nonisolated(unsafe) public let kVTProfileLevel_H264_ConstrainedBaseline_AutoLevel: CFString = { fatalError() }()
nonisolated(unsafe) public let kVTEncodeFrameOptionKey_ForceKeyFrame: CFString = { fatalError() }()

public typealias VTCompressionOutputCallback = @convention(c) (
    UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, OSStatus, UInt32, OpaquePointer?
) -> Void
public typealias VTCompressionOutputHandler = @Sendable (OSStatus, VTEncodeInfoFlags, CMSampleBuffer?) -> Void
public typealias VTDecompressionOutputHandler = @Sendable (OSStatus, VTDecodeInfoFlags, CVImageBuffer?, CMTime, CMTime) -> Void
public struct VTDecompressionOutputCallbackRecord {}

@discardableResult public func VTSessionSetProperty(_ session: VTSession, key propertyKey: CFString, value propertyValue: CFTypeRef?) -> OSStatus { fatalError() }
public func VTCompressionSessionCreate(
    allocator: CFAllocator?, width: Int32, height: Int32, codecType: CMVideoCodecType, encoderSpecification: CFDictionary?,
    imageBufferAttributes sourceImageBufferAttributes: CFDictionary?, compressedDataAllocator: CFAllocator?,
    outputCallback: VTCompressionOutputCallback?, refcon outputCallbackRefCon: UnsafeMutableRawPointer?,
    compressionSessionOut: UnsafeMutablePointer<VTCompressionSession?>
) -> OSStatus { fatalError() }
@discardableResult public func VTCompressionSessionPrepareToEncodeFrames(_ session: VTCompressionSession) -> OSStatus { fatalError() }
public func VTCompressionSessionEncodeFrame(
    _ session: VTCompressionSession, imageBuffer: CVImageBuffer, presentationTimeStamp: CMTime, duration: CMTime,
    frameProperties: CFDictionary?, infoFlagsOut: UnsafeMutablePointer<VTEncodeInfoFlags>?,
    outputHandler: @escaping VTCompressionOutputHandler
) -> OSStatus { fatalError() }
public func VTCompressionSessionCompleteFrames(_ session: VTCompressionSession, untilPresentationTimeStamp completeUntilPresentationTimeStamp: CMTime) -> OSStatus { fatalError() }
public func VTCompressionSessionInvalidate(_ session: VTCompressionSession) { fatalError() }
public func VTDecompressionSessionCreate(
    allocator: CFAllocator?, formatDescription videoFormatDescription: CMVideoFormatDescription,
    decoderSpecification videoDecoderSpecification: CFDictionary?,
    imageBufferAttributes destinationImageBufferAttributes: CFDictionary?,
    outputCallback: UnsafePointer<VTDecompressionOutputCallbackRecord>?,
    decompressionSessionOut: UnsafeMutablePointer<VTDecompressionSession?>
) -> OSStatus { fatalError() }
public func VTDecompressionSessionDecodeFrame(
    _ session: VTDecompressionSession, sampleBuffer: CMSampleBuffer, flags decodeFlags: VTDecodeFrameFlags,
    infoFlagsOut: UnsafeMutablePointer<VTDecodeInfoFlags>?, outputHandler: @escaping VTDecompressionOutputHandler
) -> OSStatus { fatalError() }
public func VTDecompressionSessionWaitForAsynchronousFrames(_ session: VTDecompressionSession) -> OSStatus { fatalError() }
public func VTDecompressionSessionInvalidate(_ session: VTDecompressionSession) { fatalError() }
public func VTCreateCGImageFromCVPixelBuffer(
    _ pixelBuffer: CVPixelBuffer, options: CFDictionary?, imageOut: UnsafeMutablePointer<CGImage?>
) -> OSStatus { fatalError() }
