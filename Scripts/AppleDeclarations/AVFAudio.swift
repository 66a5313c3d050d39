public import AudioToolbox
@_exported public import Foundation

public let AVFormatIDKey = ""
public let AVSampleRateKey = ""
public let AVNumberOfChannelsKey = ""
public let AVEncoderBitRateKey = ""

public typealias AVAudioFrameCount = UInt32
public typealias AVAudioNodeBus = Int
public typealias AVAudioChannelCount = UInt32
public typealias AVAudioSourceNodeRenderBlock = @Sendable (
    UnsafeMutablePointer<ObjCBool>, UnsafePointer<AudioTimeStamp>, AVAudioFrameCount, UnsafeMutablePointer<AudioBufferList>
) -> OSStatus
public typealias AVAudioSinkNodeReceiverBlock = @Sendable (
    UnsafePointer<AudioTimeStamp>, AVAudioFrameCount, UnsafePointer<AudioBufferList>
) -> OSStatus

open class AVAudioFormat: NSObject {
    public init?(standardFormatWithSampleRate sampleRate: Double, channels: AVAudioChannelCount) { fatalError() }
    open var sampleRate: Double { fatalError() }
}
open class AVAudioNode: NSObject {
    open func outputFormat(forBus bus: AVAudioNodeBus) -> AVAudioFormat { fatalError() }
}
open class AVAudioIONode: AVAudioNode {
    open var audioUnit: AudioUnit? { fatalError() }
}
open class AVAudioInputNode: AVAudioIONode {
    open func setVoiceProcessingEnabled(_ enabled: Bool) throws { fatalError() }
}
open class AVAudioMixerNode: AVAudioNode {}
open class AVAudioSourceNode: AVAudioNode {
    public init(format: AVAudioFormat, renderBlock block: @escaping AVAudioSourceNodeRenderBlock) { fatalError() }
}
open class AVAudioSinkNode: AVAudioNode {
    public init(receiverBlock block: @escaping AVAudioSinkNodeReceiverBlock) { fatalError() }
}
extension Notification.Name {
    public static let AVAudioEngineConfigurationChange = Notification.Name(rawValue: "")
}
open class AVAudioEngine: NSObject {
    public override init() { fatalError() }
    open var inputNode: AVAudioInputNode { fatalError() }
    open var mainMixerNode: AVAudioMixerNode { fatalError() }
    open var isRunning: Bool { fatalError() }
    open func attach(_ node: AVAudioNode) { fatalError() }
    open func connect(_ node1: AVAudioNode, to node2: AVAudioNode, format: AVAudioFormat?) { fatalError() }
    open func start() throws { fatalError() }
    open func stop() { fatalError() }
}

#if !os(macOS)
    open class AVAudioSession: NSObject {
        public struct Category: Hashable, Sendable, RawRepresentable {
            public var rawValue: String
            public init(rawValue: String) { fatalError() }
            public static let playAndRecord = Category(rawValue: "")
        }
        public struct Mode: Hashable, Sendable, RawRepresentable {
            public var rawValue: String
            public init(rawValue: String) { fatalError() }
            public static let voiceChat = Mode(rawValue: "")
            public static let videoChat = Mode(rawValue: "")
        }
        public struct CategoryOptions: OptionSet, Sendable {
            public let rawValue: UInt
            public init(rawValue: UInt) { fatalError() }
            public static let allowBluetoothHFP = CategoryOptions(rawValue: 4)
        }
        public struct SetActiveOptions: OptionSet, Sendable {
            public let rawValue: UInt
            public init(rawValue: UInt) { fatalError() }
            public static let notifyOthersOnDeactivation = SetActiveOptions(rawValue: 1)
        }
        public enum PortOverride: UInt, Sendable {
            case none = 0
            case speaker = 0x7370_6B72
        }
        public struct Port: Hashable, Sendable, RawRepresentable {
            public var rawValue: String
            public init(rawValue: String) { fatalError() }
            public static let builtInReceiver = Port(rawValue: "")
            public static let builtInSpeaker = Port(rawValue: "")
            public static let headphones = Port(rawValue: "")
            public static let usbAudio = Port(rawValue: "")
            public static let bluetoothHFP = Port(rawValue: "")
            public static let bluetoothA2DP = Port(rawValue: "")
            public static let bluetoothLE = Port(rawValue: "")
            public static let carAudio = Port(rawValue: "")
            public static let airPlay = Port(rawValue: "")
            public static let builtInMic = Port(rawValue: "")
        }
        // Enumerations of Objective-C may have cases that are not known yet; here they have just these.
        public enum InterruptionType: UInt, Sendable {
            case ended = 0
            case began = 1
        }
        public struct InterruptionOptions: OptionSet, Sendable {
            public let rawValue: UInt
            public init(rawValue: UInt) { fatalError() }
            public static let shouldResume = InterruptionOptions(rawValue: 1)
        }
        public enum RouteChangeReason: UInt, Sendable {
            case unknown = 0
            case newDeviceAvailable = 1
            case oldDeviceUnavailable = 2
            case categoryChange = 3
            case override = 4
            case wakeFromSleep = 6
            case noSuitableRouteForCategory = 7
            case routeConfigurationChange = 8
        }

        open class func sharedInstance() -> AVAudioSession { fatalError() }
        open var category: Category { fatalError() }
        open func setCategory(_ category: Category, mode: Mode, options: CategoryOptions = []) throws { fatalError() }
        open func setActive(_ active: Bool, options: SetActiveOptions = []) throws { fatalError() }
        open func overrideOutputAudioPort(_ portOverride: PortOverride) throws { fatalError() }
        open func setPrefersInterruptionOnRouteDisconnect(_ inValue: Bool) throws { fatalError() }
        open func setPrefersNoInterruptionsFromSystemAlerts(_ inValue: Bool) throws { fatalError() }
        open var currentRoute: AVAudioSessionRouteDescription { fatalError() }
        open var availableInputs: [AVAudioSessionPortDescription]? { fatalError() }
        open func setPreferredInput(_ inPort: AVAudioSessionPortDescription?) throws { fatalError() }

        public class var interruptionNotification: Notification.Name { fatalError() }
        public class var routeChangeNotification: Notification.Name { fatalError() }
        public class var mediaServicesWereResetNotification: Notification.Name { fatalError() }
    }
    open class AVAudioSessionRouteDescription: NSObject {
        open var inputs: [AVAudioSessionPortDescription] { fatalError() }
        open var outputs: [AVAudioSessionPortDescription] { fatalError() }
    }
    open class AVAudioSessionPortDescription: NSObject {
        open var portType: AVAudioSession.Port { fatalError() }
        open var portName: String { fatalError() }
        open var uid: String { fatalError() }
    }
    public let AVAudioSessionInterruptionTypeKey = ""
    public let AVAudioSessionInterruptionOptionKey = ""
    public let AVAudioSessionRouteChangeReasonKey = ""
    public let AVAudioSessionRouteChangePreviousRouteKey = ""
#endif
