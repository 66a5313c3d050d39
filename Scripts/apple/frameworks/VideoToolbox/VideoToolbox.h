// VideoToolbox, as far as this package uses it.
#ifndef VIDEOTOOLBOX_H
#define VIDEOTOOLBOX_H

#include <CoreFoundation/CoreFoundation.h>
#include <CoreGraphics/CoreGraphics.h>
#include <CoreMedia/CoreMedia.h>
#include <CoreVideo/CoreVideo.h>
#include <os/availability.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

#define VT_EXPORT extern
#define VT_SWIFT_NAME(name) __attribute__((swift_name(#name)))

typedef CFTypeRef VTSessionRef;

VT_EXPORT OSStatus VTSessionSetProperty(VTSessionRef session, CFStringRef propertyKey, CFTypeRef _Nullable propertyValue)
    VT_SWIFT_NAME(VTSessionSetProperty(_:key:value:));

// MARK: Encoding

typedef struct CF_BRIDGED_TYPE(id) OpaqueVTCompressionSession *VTCompressionSessionRef;

typedef CF_OPTIONS(UInt32, VTEncodeInfoFlags) {
    kVTEncodeInfo_Asynchronous = 1UL << 0,
    kVTEncodeInfo_FrameDropped = 1UL << 1,
};

typedef void (*VTCompressionOutputCallback)(
    void *_Nullable outputCallbackRefCon, void *_Nullable sourceFrameRefCon, OSStatus status,
    VTEncodeInfoFlags infoFlags, CMSampleBufferRef _Nullable sampleBuffer);
typedef void (NS_SWIFT_SENDABLE ^VTCompressionOutputHandler)(
    OSStatus status, VTEncodeInfoFlags infoFlags, CMSampleBufferRef _Nullable sampleBuffer);

VT_EXPORT const CFStringRef kVTCompressionPropertyKey_RealTime;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_AllowFrameReordering;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_ProfileLevel;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_MaxKeyFrameInterval;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_MaxKeyFrameIntervalDuration;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_MaxH264SliceBytes;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_AverageBitRate;
VT_EXPORT const CFStringRef kVTCompressionPropertyKey_ExpectedFrameRate;
VT_EXPORT const CFStringRef kVTProfileLevel_H264_ConstrainedBaseline_AutoLevel
    API_AVAILABLE(macos(12.0), ios(15.0), visionos(1.0));
VT_EXPORT const CFStringRef kVTEncodeFrameOptionKey_ForceKeyFrame;

VT_EXPORT OSStatus VTCompressionSessionCreate(
    CFAllocatorRef _Nullable allocator, int32_t width, int32_t height, CMVideoCodecType codecType,
    CFDictionaryRef _Nullable encoderSpecification, CFDictionaryRef _Nullable sourceImageBufferAttributes,
    CFAllocatorRef _Nullable compressedDataAllocator, VTCompressionOutputCallback _Nullable outputCallback,
    void *_Nullable outputCallbackRefCon,
    CF_RETURNS_RETAINED VTCompressionSessionRef _Nullable *_Nonnull compressionSessionOut)
    VT_SWIFT_NAME(VTCompressionSessionCreate(allocator:width:height:codecType:encoderSpecification:imageBufferAttributes:compressedDataAllocator:outputCallback:refcon:compressionSessionOut:));
VT_EXPORT OSStatus VTCompressionSessionPrepareToEncodeFrames(VTCompressionSessionRef session)
    VT_SWIFT_NAME(VTCompressionSessionPrepareToEncodeFrames(_:));
VT_EXPORT OSStatus VTCompressionSessionEncodeFrameWithOutputHandler(
    VTCompressionSessionRef session, CVImageBufferRef imageBuffer, CMTime presentationTimeStamp, CMTime duration,
    CFDictionaryRef _Nullable frameProperties, VTEncodeInfoFlags *_Nullable infoFlagsOut,
    VTCompressionOutputHandler outputHandler)
    VT_SWIFT_NAME(VTCompressionSessionEncodeFrame(_:imageBuffer:presentationTimeStamp:duration:frameProperties:infoFlagsOut:outputHandler:));
VT_EXPORT OSStatus VTCompressionSessionCompleteFrames(
    VTCompressionSessionRef session, CMTime completeUntilPresentationTimeStamp)
    VT_SWIFT_NAME(VTCompressionSessionCompleteFrames(_:untilPresentationTimeStamp:));
VT_EXPORT void VTCompressionSessionInvalidate(VTCompressionSessionRef session)
    VT_SWIFT_NAME(VTCompressionSessionInvalidate(_:));

// MARK: Decoding

typedef struct CF_BRIDGED_TYPE(id) OpaqueVTDecompressionSession *VTDecompressionSessionRef;

typedef CF_OPTIONS(uint32_t, VTDecodeFrameFlags) {
    kVTDecodeFrame_EnableAsynchronousDecompression = 1 << 0,
    kVTDecodeFrame_DoNotOutputFrame = 1 << 1,
    kVTDecodeFrame_1xRealTimePlayback = 1 << 2,
    kVTDecodeFrame_EnableTemporalProcessing = 1 << 3,
};
typedef CF_OPTIONS(UInt32, VTDecodeInfoFlags) {
    kVTDecodeInfo_Asynchronous = 1UL << 0,
    kVTDecodeInfo_FrameDropped = 1UL << 1,
    kVTDecodeInfo_ImageBufferModifiable = 1UL << 2,
};

typedef void (*VTDecompressionOutputCallback)(
    void *_Nullable decompressionOutputRefCon, void *_Nullable sourceFrameRefCon, OSStatus status,
    VTDecodeInfoFlags infoFlags, CVImageBufferRef _Nullable imageBuffer, CMTime presentationTimeStamp,
    CMTime presentationDuration);
typedef struct VTDecompressionOutputCallbackRecord {
    VTDecompressionOutputCallback _Nullable decompressionOutputCallback;
    void *_Nullable decompressionOutputRefCon;
} VTDecompressionOutputCallbackRecord;
typedef void (NS_SWIFT_SENDABLE ^VTDecompressionOutputHandler)(
    OSStatus status, VTDecodeInfoFlags infoFlags, CVImageBufferRef _Nullable imageBuffer,
    CMTime presentationTimeStamp, CMTime presentationDuration);

VT_EXPORT OSStatus VTDecompressionSessionCreate(
    CFAllocatorRef _Nullable allocator, CMVideoFormatDescriptionRef videoFormatDescription,
    CFDictionaryRef _Nullable videoDecoderSpecification, CFDictionaryRef _Nullable destinationImageBufferAttributes,
    const VTDecompressionOutputCallbackRecord *_Nullable outputCallback,
    CF_RETURNS_RETAINED VTDecompressionSessionRef _Nullable *_Nonnull decompressionSessionOut)
    VT_SWIFT_NAME(VTDecompressionSessionCreate(allocator:formatDescription:decoderSpecification:imageBufferAttributes:outputCallback:decompressionSessionOut:));
VT_EXPORT OSStatus VTDecompressionSessionDecodeFrameWithOutputHandler(
    VTDecompressionSessionRef session, CMSampleBufferRef sampleBuffer, VTDecodeFrameFlags decodeFlags,
    VTDecodeInfoFlags *_Nullable infoFlagsOut, VTDecompressionOutputHandler outputHandler)
    VT_SWIFT_NAME(VTDecompressionSessionDecodeFrame(_:sampleBuffer:flags:infoFlagsOut:outputHandler:));
VT_EXPORT OSStatus VTDecompressionSessionWaitForAsynchronousFrames(VTDecompressionSessionRef session)
    VT_SWIFT_NAME(VTDecompressionSessionWaitForAsynchronousFrames(_:));
VT_EXPORT void VTDecompressionSessionInvalidate(VTDecompressionSessionRef session)
    VT_SWIFT_NAME(VTDecompressionSessionInvalidate(_:));

// MARK: Pictures

VT_EXPORT OSStatus VTCreateCGImageFromCVPixelBuffer(
    CVPixelBufferRef pixelBuffer, CFDictionaryRef _Nullable options,
    CF_RETURNS_RETAINED CGImageRef _Nullable *_Nonnull imageOut)
    VT_SWIFT_NAME(VTCreateCGImageFromCVPixelBuffer(_:options:imageOut:));

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
