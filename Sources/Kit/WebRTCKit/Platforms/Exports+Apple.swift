#if canImport(AVFoundation)
    @_exported public import struct RTCDevices.CameraHistoryDefaults
#endif
