// AudioToolbox, as far as this package uses it.
#ifndef AUDIOTOOLBOX_H
#define AUDIOTOOLBOX_H

#include <CoreAudio/CoreAudio.h>
#include <CoreAudioTypes/CoreAudioTypes.h>
#include <CoreFoundation/CoreFoundation.h>
#include <os/availability.h>

CF_ASSUME_NONNULL_BEGIN

// MARK: Converters

typedef struct OpaqueAudioConverter *AudioConverterRef;
typedef UInt32 AudioConverterPropertyID;

CF_ENUM(AudioConverterPropertyID) {
    kAudioConverterEncodeBitRate = 'brat',
};

typedef OSStatus (*AudioConverterComplexInputDataProc)(
    AudioConverterRef inAudioConverter, UInt32 *ioNumberDataPackets, AudioBufferList *ioData,
    AudioStreamPacketDescription *_Nullable *_Nullable outDataPacketDescription, void *_Nullable inUserData);

extern OSStatus AudioConverterNew(
    const AudioStreamBasicDescription *inSourceFormat, const AudioStreamBasicDescription *inDestinationFormat,
    AudioConverterRef _Nullable *_Nonnull outAudioConverter);
extern OSStatus AudioConverterDispose(AudioConverterRef inAudioConverter);
extern OSStatus AudioConverterSetProperty(
    AudioConverterRef inAudioConverter, AudioConverterPropertyID inPropertyID, UInt32 inPropertyDataSize,
    const void *inPropertyData);
extern OSStatus AudioConverterFillComplexBuffer(
    AudioConverterRef inAudioConverter, AudioConverterComplexInputDataProc inInputDataProc,
    void *_Nullable inInputDataProcUserData, UInt32 *ioOutputDataPacketSize, AudioBufferList *outOutputData,
    AudioStreamPacketDescription *_Nullable outPacketDescription);

// MARK: Units

#if TARGET_OS_OSX
typedef struct ComponentInstanceRecord *AudioComponentInstance;
#else
typedef struct OpaqueAudioComponentInstance *AudioComponentInstance;
#endif
typedef AudioComponentInstance AudioUnit;
typedef UInt32 AudioUnitPropertyID;
typedef UInt32 AudioUnitScope;
typedef UInt32 AudioUnitElement;

typedef CF_OPTIONS(UInt32, AudioUnitRenderActionFlags) {
    kAudioUnitRenderAction_PreRender = (1UL << 2),
    kAudioUnitRenderAction_PostRender = (1UL << 3),
    kAudioUnitRenderAction_OutputIsSilence = (1UL << 4),
};

CF_ENUM(AudioUnitScope) {
    kAudioUnitScope_Global = 0,
};

#if TARGET_OS_OSX
CF_ENUM(AudioUnitPropertyID) {
    kAudioOutputUnitProperty_CurrentDevice = 2000,
};
#endif

extern OSStatus AudioUnitSetProperty(
    AudioUnit inUnit, AudioUnitPropertyID inID, AudioUnitScope inScope, AudioUnitElement inElement,
    const void *_Nullable inData, UInt32 inDataSize);

CF_ASSUME_NONNULL_END

#endif
