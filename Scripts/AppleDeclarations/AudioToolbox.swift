@_exported public import Darwin

public typealias AudioFormatID = UInt32
public typealias AudioFormatFlags = UInt32
public typealias AudioConverterPropertyID = UInt32
public typealias AudioConverterRef = OpaquePointer

public let kAudioFormatLinearPCM: AudioFormatID = 1
public let kAudioFormatOpus: AudioFormatID = 2
public let kAudioFormatMPEG4AAC: AudioFormatID = 0x6161_6320
public let kAudioFormatFlagIsSignedInteger: AudioFormatFlags = 4
public let kAudioFormatFlagIsPacked: AudioFormatFlags = 8
public let kAudioConverterEncodeBitRate: AudioConverterPropertyID = 3

public struct AudioStreamBasicDescription: Sendable {
    public var mSampleRate: Float64
    public var mFormatID: AudioFormatID
    public var mFormatFlags: AudioFormatFlags
    public var mBytesPerPacket: UInt32
    public var mFramesPerPacket: UInt32
    public var mBytesPerFrame: UInt32
    public var mChannelsPerFrame: UInt32
    public var mBitsPerChannel: UInt32
    public var mReserved: UInt32
    public init(
        mSampleRate: Float64, mFormatID: AudioFormatID, mFormatFlags: AudioFormatFlags, mBytesPerPacket: UInt32,
        mFramesPerPacket: UInt32, mBytesPerFrame: UInt32, mChannelsPerFrame: UInt32, mBitsPerChannel: UInt32,
        mReserved: UInt32
    ) { fatalError() }
}
public struct AudioStreamPacketDescription: Sendable {
    public var mStartOffset: Int64
    public var mVariableFramesInPacket: UInt32
    public var mDataByteSize: UInt32
    public init() { fatalError() }
    public init(mStartOffset: Int64, mVariableFramesInPacket: UInt32, mDataByteSize: UInt32) { fatalError() }
}
/// Of CoreAudio, which AudioToolbox hands on.
public struct AudioChannelLayout {}
public struct AudioBuffer {
    public var mNumberChannels: UInt32
    public var mDataByteSize: UInt32
    public var mData: UnsafeMutableRawPointer?
    public init(mNumberChannels: UInt32, mDataByteSize: UInt32, mData: UnsafeMutableRawPointer?) { fatalError() }
}
public struct AudioBufferList {
    public var mNumberBuffers: UInt32
    public var mBuffers: AudioBuffer
    public init(mNumberBuffers: UInt32, mBuffers: AudioBuffer) { fatalError() }
}
/// `@convention(c)` in the SDK, which a structure declared in Swift is not allowed in: a closure given to it must capture
/// nothing.
public typealias AudioConverterComplexInputDataProc = @Sendable (
    AudioConverterRef, UnsafeMutablePointer<UInt32>, UnsafeMutablePointer<AudioBufferList>,
    UnsafeMutablePointer<UnsafeMutablePointer<AudioStreamPacketDescription>?>?, UnsafeMutableRawPointer?
) -> OSStatus

public func AudioConverterNew(
    _ inSourceFormat: UnsafePointer<AudioStreamBasicDescription>,
    _ inDestinationFormat: UnsafePointer<AudioStreamBasicDescription>,
    _ outAudioConverter: UnsafeMutablePointer<AudioConverterRef?>
) -> OSStatus { fatalError() }
@discardableResult public func AudioConverterDispose(_ inAudioConverter: AudioConverterRef) -> OSStatus { fatalError() }
public func AudioConverterSetProperty(
    _ inAudioConverter: AudioConverterRef, _ inPropertyID: AudioConverterPropertyID, _ inPropertyDataSize: UInt32,
    _ inPropertyData: UnsafeRawPointer
) -> OSStatus { fatalError() }
public func AudioConverterFillComplexBuffer(
    _ inAudioConverter: AudioConverterRef, _ inInputDataProc: AudioConverterComplexInputDataProc,
    _ inInputDataProcUserData: UnsafeMutableRawPointer?, _ ioOutputDataPacketSize: UnsafeMutablePointer<UInt32>,
    _ outOutputData: UnsafeMutablePointer<AudioBufferList>,
    _ outPacketDescription: UnsafeMutablePointer<AudioStreamPacketDescription>?
) -> OSStatus { fatalError() }

public let kAudio_ParamError: OSStatus = -50

public struct AudioUnitRenderActionFlags: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { fatalError() }
}
public struct AudioTimeStamp: Sendable {
    public init() { fatalError() }
}

/// Of CoreAudio, which AudioToolbox hands on.
public struct UnsafeMutableAudioBufferListPointer: MutableCollection, RandomAccessCollection {
    public init(_ p: UnsafeMutablePointer<AudioBufferList>) { fatalError() }
    public var startIndex: Int { fatalError() }
    public var endIndex: Int { fatalError() }
    public subscript(index: Int) -> AudioBuffer { get { fatalError() } nonmutating set { fatalError() } }
}

public typealias AudioUnit = OpaquePointer
public typealias AudioUnitPropertyID = UInt32
public typealias AudioUnitScope = UInt32
public typealias AudioUnitElement = UInt32
public let kAudioUnitScope_Global: AudioUnitScope = 0
public func AudioUnitSetProperty(
    _ inUnit: AudioUnit, _ inID: AudioUnitPropertyID, _ inScope: AudioUnitScope, _ inElement: AudioUnitElement,
    _ inData: UnsafeRawPointer?, _ inDataSize: UInt32
) -> OSStatus { fatalError() }

#if os(macOS)
    public let kAudioOutputUnitProperty_CurrentDevice: AudioUnitPropertyID = 2_000

    // Of CoreAudio, which AudioToolbox hands on.
    public typealias AudioObjectID = UInt32
    public typealias AudioDeviceID = AudioObjectID
    public typealias AudioObjectPropertySelector = UInt32
    public typealias AudioObjectPropertyScope = UInt32
    public typealias AudioObjectPropertyElement = UInt32
    public struct AudioObjectPropertyAddress: Sendable {
        public init(
            mSelector: AudioObjectPropertySelector, mScope: AudioObjectPropertyScope,
            mElement: AudioObjectPropertyElement
        ) { fatalError() }
    }
    public let kAudioObjectSystemObject = 1
    public let kAudioObjectUnknown: AudioObjectID = 0
    public let kAudioHardwarePropertyTranslateUIDToDevice: AudioObjectPropertySelector = 0x7569_6464
    public let kAudioObjectPropertyScopeGlobal: AudioObjectPropertyScope = 0x676C_6F62
    public let kAudioObjectPropertyElementMain: AudioObjectPropertyElement = 0
    public func AudioObjectGetPropertyData(
        _ inObjectID: AudioObjectID, _ inAddress: UnsafePointer<AudioObjectPropertyAddress>,
        _ inQualifierDataSize: UInt32, _ inQualifierData: UnsafeRawPointer?,
        _ ioDataSize: UnsafeMutablePointer<UInt32>, _ outData: UnsafeMutableRawPointer
    ) -> OSStatus { fatalError() }
#endif
