// CoreMedia, as far as this package uses it.
#ifndef COREMEDIA_H
#define COREMEDIA_H

#include <CoreAudioTypes/CoreAudioTypes.h>
#include <CoreFoundation/CoreFoundation.h>
#include <CoreVideo/CoreVideo.h>

CF_IMPLICIT_BRIDGING_ENABLED
CF_ASSUME_NONNULL_BEGIN

#define CM_EXPORT extern
#define CM_SWIFT_NAME(name) __attribute__((swift_name(#name)))

typedef CFIndex CMItemCount;

// MARK: Times

typedef int64_t CMTimeValue;
typedef int32_t CMTimeScale;
typedef int64_t CMTimeEpoch;

typedef CF_OPTIONS(uint32_t, CMTimeFlags) {
    kCMTimeFlags_Valid = 1UL << 0,
    kCMTimeFlags_HasBeenRounded = 1UL << 1,
    kCMTimeFlags_PositiveInfinity = 1UL << 2,
    kCMTimeFlags_NegativeInfinity = 1UL << 3,
    kCMTimeFlags_Indefinite = 1UL << 4,
};

typedef struct {
    CMTimeValue value;
    CMTimeScale timescale;
    CMTimeFlags flags;
    CMTimeEpoch epoch;
} CMTime;

CM_EXPORT const CMTime kCMTimeInvalid CM_SWIFT_NAME(CMTime.invalid);
CM_EXPORT const CMTime kCMTimeZero CM_SWIFT_NAME(CMTime.zero);

CM_EXPORT CMTime CMTimeMake(int64_t value, int32_t timescale) CM_SWIFT_NAME(CMTimeMake(value:timescale:));
CM_EXPORT Float64 CMTimeGetSeconds(CMTime time) CM_SWIFT_NAME(CMTimeGetSeconds(_:));

typedef struct CF_BRIDGED_TYPE(id) OpaqueCMClock *CMClockRef;
typedef CFTypeRef CMClockOrTimebaseRef;

CM_EXPORT CMClockRef CMClockGetHostTimeClock(void);
CM_EXPORT CMTime CMClockGetTime(CMClockRef clock) CM_SWIFT_NAME(CMClockGetTime(_:));
CM_EXPORT CMTime CMSyncConvertTime(
    CMTime time, CMClockOrTimebaseRef fromClockOrTimebase, CMClockOrTimebaseRef toClockOrTimebase)
    CM_SWIFT_NAME(CMSyncConvertTime(_:from:to:));

// MARK: Blocks of bytes

typedef uint32_t CMBlockBufferFlags;
CF_ENUM(CMBlockBufferFlags) {
    kCMBlockBufferAssureMemoryNowFlag = (1L << 0),
    kCMBlockBufferAlwaysCopyDataFlag = (1L << 1),
    kCMBlockBufferDontOptimizeDepthFlag = (1L << 2),
    kCMBlockBufferPermitEmptyReferenceFlag = (1L << 3),
};

typedef struct CF_BRIDGED_TYPE(id) OpaqueCMBlockBuffer *CMBlockBufferRef;

#pragma pack(push, 4)
typedef struct {
    uint32_t version;
    void *_Nullable (*_Nullable AllocateBlock)(void *_Nullable refCon, size_t sizeInBytes);
    void (*_Nullable FreeBlock)(void *_Nullable refCon, void *doomedMemoryBlock, size_t sizeInBytes);
    void *_Nullable refCon;
} CMBlockBufferCustomBlockSource;
#pragma pack(pop)

CM_EXPORT OSStatus CMBlockBufferCreateWithMemoryBlock(
    CFAllocatorRef _Nullable structureAllocator, void *_Nullable memoryBlock, size_t blockLength,
    CFAllocatorRef _Nullable blockAllocator, const CMBlockBufferCustomBlockSource *_Nullable customBlockSource,
    size_t offsetToData, size_t dataLength, CMBlockBufferFlags flags,
    CF_RETURNS_RETAINED CMBlockBufferRef _Nullable *_Nonnull blockBufferOut)
    CM_SWIFT_NAME(CMBlockBufferCreateWithMemoryBlock(allocator:memoryBlock:blockLength:blockAllocator:customBlockSource:offsetToData:dataLength:flags:blockBufferOut:));
CM_EXPORT OSStatus CMBlockBufferCopyDataBytes(
    CMBlockBufferRef theSourceBuffer, size_t offsetToData, size_t dataLength, void *destination)
    CM_SWIFT_NAME(CMBlockBufferCopyDataBytes(_:atOffset:dataLength:destination:));
CM_EXPORT OSStatus CMBlockBufferReplaceDataBytes(
    const void *sourceBytes, CMBlockBufferRef destinationBuffer, size_t offsetIntoDestination, size_t dataLength)
    CM_SWIFT_NAME(CMBlockBufferReplaceDataBytes(with:blockBuffer:offsetIntoDestination:dataLength:));
CM_EXPORT size_t CMBlockBufferGetDataLength(CMBlockBufferRef theBuffer) CM_SWIFT_NAME(CMBlockBufferGetDataLength(_:));

// MARK: Formats

typedef const struct CF_BRIDGED_TYPE(id) opaqueCMFormatDescription *CMFormatDescriptionRef;
typedef CMFormatDescriptionRef CMAudioFormatDescriptionRef;
typedef CMFormatDescriptionRef CMVideoFormatDescriptionRef;

typedef FourCharCode CMVideoCodecType;
CF_ENUM(CMVideoCodecType) {
    kCMVideoCodecType_H264 = 'avc1',
};

typedef struct {
    int32_t width;
    int32_t height;
} CMVideoDimensions;

CM_EXPORT FourCharCode CMFormatDescriptionGetMediaSubType(CMFormatDescriptionRef desc)
    CM_SWIFT_NAME(CMFormatDescriptionGetMediaSubType(_:));
CM_EXPORT OSStatus CMAudioFormatDescriptionCreate(
    CFAllocatorRef _Nullable allocator, const AudioStreamBasicDescription *asbd, size_t layoutSize,
    const AudioChannelLayout *_Nullable layout, size_t magicCookieSize, const void *_Nullable magicCookie,
    CFDictionaryRef _Nullable extensions,
    CF_RETURNS_RETAINED CMAudioFormatDescriptionRef _Nullable *_Nonnull formatDescriptionOut)
    CM_SWIFT_NAME(CMAudioFormatDescriptionCreate(allocator:asbd:layoutSize:layout:magicCookieSize:magicCookie:extensions:formatDescriptionOut:));
CM_EXPORT OSStatus CMVideoFormatDescriptionCreateForImageBuffer(
    CFAllocatorRef _Nullable allocator, CVImageBufferRef imageBuffer,
    CF_RETURNS_RETAINED CMVideoFormatDescriptionRef _Nullable *_Nonnull formatDescriptionOut)
    CM_SWIFT_NAME(CMVideoFormatDescriptionCreateForImageBuffer(allocator:imageBuffer:formatDescriptionOut:));
CM_EXPORT OSStatus CMVideoFormatDescriptionCreateFromH264ParameterSets(
    CFAllocatorRef _Nullable allocator, size_t parameterSetCount,
    const uint8_t *_Nonnull const *_Nonnull parameterSetPointers, const size_t *parameterSetSizes,
    int NALUnitHeaderLength,
    CF_RETURNS_RETAINED CMFormatDescriptionRef _Nullable *_Nonnull formatDescriptionOut)
    CM_SWIFT_NAME(CMVideoFormatDescriptionCreateFromH264ParameterSets(allocator:parameterSetCount:parameterSetPointers:parameterSetSizes:nalUnitHeaderLength:formatDescriptionOut:));
CM_EXPORT CMVideoDimensions CMVideoFormatDescriptionGetDimensions(CMVideoFormatDescriptionRef videoDesc)
    CM_SWIFT_NAME(CMVideoFormatDescriptionGetDimensions(_:));
CM_EXPORT OSStatus CMVideoFormatDescriptionGetH264ParameterSetAtIndex(
    CMFormatDescriptionRef videoDesc, size_t parameterSetIndex,
    const uint8_t *_Nullable *_Nullable parameterSetPointerOut, size_t *_Nullable parameterSetSizeOut,
    size_t *_Nullable parameterSetCountOut, int *_Nullable NALUnitHeaderLengthOut)
    CM_SWIFT_NAME(CMVideoFormatDescriptionGetH264ParameterSetAtIndex(_:parameterSetIndex:parameterSetPointerOut:parameterSetSizeOut:parameterSetCountOut:nalUnitHeaderLengthOut:));

// MARK: Samples

typedef struct CF_BRIDGED_TYPE(id) opaqueCMSampleBuffer *CMSampleBufferRef;

typedef struct {
    CMTime duration;
    CMTime presentationTimeStamp;
    CMTime decodeTimeStamp;
} CMSampleTimingInfo;

CM_EXPORT OSStatus CMSampleBufferCreateReady(
    CFAllocatorRef _Nullable allocator, CMBlockBufferRef _Nullable dataBuffer,
    CMFormatDescriptionRef _Nullable formatDescription, CMItemCount numSamples, CMItemCount numSampleTimingEntries,
    const CMSampleTimingInfo *_Nullable sampleTimingArray, CMItemCount numSampleSizeEntries,
    const size_t *_Nullable sampleSizeArray, CF_RETURNS_RETAINED CMSampleBufferRef _Nullable *_Nonnull sampleBufferOut)
    CM_SWIFT_NAME(CMSampleBufferCreateReady(allocator:dataBuffer:formatDescription:sampleCount:sampleTimingEntryCount:sampleTimingArray:sampleSizeEntryCount:sampleSizeArray:sampleBufferOut:));
CM_EXPORT OSStatus CMSampleBufferCreateReadyWithImageBuffer(
    CFAllocatorRef _Nullable allocator, CVImageBufferRef imageBuffer, CMVideoFormatDescriptionRef formatDescription,
    const CMSampleTimingInfo *sampleTiming, CF_RETURNS_RETAINED CMSampleBufferRef _Nullable *_Nonnull sampleBufferOut)
    CM_SWIFT_NAME(CMSampleBufferCreateReadyWithImageBuffer(allocator:imageBuffer:formatDescription:sampleTiming:sampleBufferOut:));
CM_EXPORT OSStatus CMAudioSampleBufferCreateReadyWithPacketDescriptions(
    CFAllocatorRef _Nullable allocator, CMBlockBufferRef dataBuffer, CMFormatDescriptionRef formatDescription,
    CMItemCount numSamples, CMTime presentationTimeStamp,
    const AudioStreamPacketDescription *_Nullable packetDescriptions,
    CF_RETURNS_RETAINED CMSampleBufferRef _Nullable *_Nonnull sampleBufferOut)
    CM_SWIFT_NAME(CMAudioSampleBufferCreateReadyWithPacketDescriptions(allocator:dataBuffer:formatDescription:sampleCount:presentationTimeStamp:packetDescriptions:sampleBufferOut:));
CM_EXPORT CMBlockBufferRef _Nullable CMSampleBufferGetDataBuffer(CMSampleBufferRef sbuf)
    CM_SWIFT_NAME(CMSampleBufferGetDataBuffer(_:));
CM_EXPORT CMFormatDescriptionRef _Nullable CMSampleBufferGetFormatDescription(CMSampleBufferRef sbuf)
    CM_SWIFT_NAME(CMSampleBufferGetFormatDescription(_:));
CM_EXPORT CVImageBufferRef _Nullable CMSampleBufferGetImageBuffer(CMSampleBufferRef sbuf)
    CM_SWIFT_NAME(CMSampleBufferGetImageBuffer(_:));
CM_EXPORT CMTime CMSampleBufferGetPresentationTimeStamp(CMSampleBufferRef sbuf)
    CM_SWIFT_NAME(CMSampleBufferGetPresentationTimeStamp(_:));

CF_ASSUME_NONNULL_END
CF_IMPLICIT_BRIDGING_DISABLED

#endif
