// CoreAudio, as far as this package uses it. Its devices are macOS's alone.
#ifndef COREAUDIO_H
#define COREAUDIO_H

#include <CoreAudioTypes/CoreAudioTypes.h>
#include <TargetConditionals.h>

#if TARGET_OS_OSX

CF_ASSUME_NONNULL_BEGIN

typedef UInt32 AudioObjectID;
typedef AudioObjectID AudioDeviceID;
typedef UInt32 AudioObjectPropertySelector;
typedef UInt32 AudioObjectPropertyScope;
typedef UInt32 AudioObjectPropertyElement;

struct AudioObjectPropertyAddress {
    AudioObjectPropertySelector mSelector;
    AudioObjectPropertyScope mScope;
    AudioObjectPropertyElement mElement;
};
typedef struct AudioObjectPropertyAddress AudioObjectPropertyAddress;

CF_ENUM(AudioObjectID) {
    kAudioObjectUnknown = 0,
};
CF_ENUM(int) {
    kAudioObjectSystemObject = 1,
};
CF_ENUM(AudioObjectPropertyScope) {
    kAudioObjectPropertyScopeGlobal = 'glob',
};
CF_ENUM(AudioObjectPropertyElement) {
    kAudioObjectPropertyElementMain = 0,
};
CF_ENUM(AudioObjectPropertySelector) {
    kAudioHardwarePropertyTranslateUIDToDevice = 'uidd',
};

extern OSStatus AudioObjectGetPropertyData(
    AudioObjectID inObjectID, const AudioObjectPropertyAddress *inAddress, UInt32 inQualifierDataSize,
    const void *_Nullable inQualifierData, UInt32 *ioDataSize, void *outData);

CF_ASSUME_NONNULL_END

#endif
#endif
