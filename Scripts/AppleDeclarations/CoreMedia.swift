public import AudioToolbox
public import CoreFoundation
public import CoreVideo

public typealias CMTimeValue = Int64
public typealias CMTimeScale = Int32
public typealias CMItemCount = CFIndex
public typealias CMVideoCodecType = UInt32
public typealias CMBlockBufferFlags = UInt32

public struct CMTime: Sendable, Comparable {
    public static var invalid: CMTime { fatalError() }
    public var value: CMTimeValue
    public var timescale: CMTimeScale
    public static func < (left: CMTime, right: CMTime) -> Bool { fatalError() }
    public init(seconds: Double, preferredTimescale: CMTimeScale) { fatalError() }
}
public struct CMSampleTimingInfo: Sendable {
    public init(duration: CMTime, presentationTimeStamp: CMTime, decodeTimeStamp: CMTime) { fatalError() }
}
public class CMClock {}
public struct CMVideoDimensions: Sendable {
    public var width: Int32
    public var height: Int32
}
public struct CMBlockBufferCustomBlockSource {}
public class CMBlockBuffer {}
public class CMFormatDescription {}
public typealias FourCharCode = UInt32
public func CMFormatDescriptionGetMediaSubType(_ desc: CMFormatDescription) -> FourCharCode { fatalError() }
public typealias CMVideoFormatDescription = CMFormatDescription
public typealias CMAudioFormatDescription = CMFormatDescription
public class CMSampleBuffer {}

public var kCMVideoCodecType_H264: CMVideoCodecType { fatalError() }
public var kCMBlockBufferAssureMemoryNowFlag: CMBlockBufferFlags { fatalError() }

public func CMClockGetHostTimeClock() -> CMClock { fatalError() }
public func CMClockGetTime(_ clock: CMClock) -> CMTime { fatalError() }
public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime { fatalError() }
public func CMSampleBufferGetDataBuffer(_ sbuf: CMSampleBuffer) -> CMBlockBuffer? { fatalError() }
public func CMSampleBufferGetFormatDescription(_ sbuf: CMSampleBuffer) -> CMFormatDescription? { fatalError() }
public func CMBlockBufferGetDataLength(_ theBuffer: CMBlockBuffer) -> Int { fatalError() }
public func CMBlockBufferCopyDataBytes(
    _ theSourceBuffer: CMBlockBuffer, atOffset offsetToData: Int, dataLength: Int, destination: UnsafeMutableRawPointer
) -> OSStatus { fatalError() }
public func CMBlockBufferReplaceDataBytes(
    with sourceBytes: UnsafeRawPointer, blockBuffer destinationBuffer: CMBlockBuffer, offsetIntoDestination: Int,
    dataLength: Int
) -> OSStatus { fatalError() }
public func CMBlockBufferCreateWithMemoryBlock(
    allocator structureAllocator: CFAllocator?, memoryBlock: UnsafeMutableRawPointer?, blockLength: Int,
    blockAllocator: CFAllocator?, customBlockSource: UnsafePointer<CMBlockBufferCustomBlockSource>?, offsetToData: Int,
    dataLength: Int, flags: CMBlockBufferFlags, blockBufferOut: UnsafeMutablePointer<CMBlockBuffer?>
) -> OSStatus { fatalError() }
public func CMSampleBufferCreateReady(
    allocator: CFAllocator?, dataBuffer: CMBlockBuffer?, formatDescription: CMFormatDescription?, sampleCount: CMItemCount,
    sampleTimingEntryCount: CMItemCount, sampleTimingArray: UnsafePointer<CMSampleTimingInfo>?,
    sampleSizeEntryCount: CMItemCount, sampleSizeArray: UnsafePointer<Int>?,
    sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus { fatalError() }
public func CMVideoFormatDescriptionGetDimensions(_ videoDesc: CMVideoFormatDescription) -> CMVideoDimensions { fatalError() }
public func CMVideoFormatDescriptionGetH264ParameterSetAtIndex(
    _ videoDesc: CMFormatDescription, parameterSetIndex: Int,
    parameterSetPointerOut: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, parameterSetSizeOut: UnsafeMutablePointer<Int>?,
    parameterSetCountOut: UnsafeMutablePointer<Int>?, nalUnitHeaderLengthOut: UnsafeMutablePointer<Int32>?
) -> OSStatus { fatalError() }
public func CMVideoFormatDescriptionCreateFromH264ParameterSets(
    allocator: CFAllocator?, parameterSetCount: Int, parameterSetPointers: UnsafePointer<UnsafePointer<UInt8>>,
    parameterSetSizes: UnsafePointer<Int>, nalUnitHeaderLength NALUnitHeaderLength: Int32,
    formatDescriptionOut: UnsafeMutablePointer<CMFormatDescription?>
) -> OSStatus { fatalError() }
public func CMVideoFormatDescriptionCreateForImageBuffer(
    allocator: CFAllocator?, imageBuffer: CVImageBuffer, formatDescriptionOut: UnsafeMutablePointer<CMVideoFormatDescription?>
) -> OSStatus { fatalError() }
public func CMSampleBufferCreateReadyWithImageBuffer(
    allocator: CFAllocator?, imageBuffer: CVImageBuffer, formatDescription: CMVideoFormatDescription,
    sampleTiming: UnsafePointer<CMSampleTimingInfo>, sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus { fatalError() }
public func CMSampleBufferGetImageBuffer(_ sbuf: CMSampleBuffer) -> CVImageBuffer? { fatalError() }
public func CMSampleBufferGetPresentationTimeStamp(_ sbuf: CMSampleBuffer) -> CMTime { fatalError() }
public func CMTimeGetSeconds(_ time: CMTime) -> Float64 { fatalError() }
public func CMSyncConvertTime(_ time: CMTime, from fromClockOrTimebase: CMClock, to toClockOrTimebase: CMClock) -> CMTime { fatalError() }
public func CMAudioFormatDescriptionCreate(
    allocator: CFAllocator?, asbd: UnsafePointer<AudioStreamBasicDescription>, layoutSize: Int,
    layout: UnsafePointer<AudioChannelLayout>?, magicCookieSize: Int, magicCookie: UnsafeRawPointer?,
    extensions: CFDictionary?, formatDescriptionOut: UnsafeMutablePointer<CMAudioFormatDescription?>
) -> OSStatus { fatalError() }
public func CMAudioSampleBufferCreateReadyWithPacketDescriptions(
    allocator: CFAllocator?, dataBuffer: CMBlockBuffer, formatDescription: CMFormatDescription, sampleCount: CMItemCount,
    presentationTimeStamp: CMTime, packetDescriptions: UnsafePointer<AudioStreamPacketDescription>?,
    sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus { fatalError() }
