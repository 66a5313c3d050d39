@_exported public import AVFAudio
@_exported public import Foundation

// macOS has the framework, and none of its calls.
#if !os(macOS)
    open class CXHandle: NSObject {
        public enum HandleType: Int, Sendable {
            case generic = 1
            case phoneNumber = 2
            case emailAddress = 3
        }
        public init(type: HandleType, value: String) { fatalError() }
        open var type: HandleType { fatalError() }
        open var value: String { fatalError() }
    }

    open class CXAction: NSObject {
        open var uuid: UUID { fatalError() }
        open var isComplete: Bool { fatalError() }
        open var timeoutDate: Date { fatalError() }
        open func fulfill() { fatalError() }
        open func fail() { fatalError() }
    }
    open class CXCallAction: CXAction {
        public init(call callUUID: UUID) { fatalError() }
        open var callUUID: UUID { fatalError() }
    }
    open class CXStartCallAction: CXCallAction {
        public init(call callUUID: UUID, handle: CXHandle) { fatalError() }
        open var handle: CXHandle { get { fatalError() } set { fatalError() } }
        open var contactIdentifier: String? { get { fatalError() } set { fatalError() } }
        open var isVideo: Bool { get { fatalError() } set { fatalError() } }
    }
    open class CXAnswerCallAction: CXCallAction {
        public override init(call callUUID: UUID) { fatalError() }
    }
    open class CXEndCallAction: CXCallAction {
        public override init(call callUUID: UUID) { fatalError() }
    }
    open class CXSetHeldCallAction: CXCallAction {
        public init(call callUUID: UUID, onHold: Bool) { fatalError() }
        open var isOnHold: Bool { get { fatalError() } set { fatalError() } }
    }
    open class CXSetMutedCallAction: CXCallAction {
        public init(call callUUID: UUID, muted: Bool) { fatalError() }
        open var isMuted: Bool { get { fatalError() } set { fatalError() } }
    }
    open class CXTransaction: NSObject {
        public init(actions: [CXAction]) { fatalError() }
        public convenience init(action: CXAction) { fatalError() }
    }
    open class CXCallController: NSObject {
        public init(queue: DispatchQueue) { fatalError() }
        open func request(_ transaction: CXTransaction, completion: @escaping @Sendable ((any Error)?) -> Void) { fatalError() }
    }

    open class CXCallUpdate: NSObject {
        public override init() { fatalError() }
        open var remoteHandle: CXHandle? { get { fatalError() } set { fatalError() } }
        open var localizedCallerName: String? { get { fatalError() } set { fatalError() } }
        open var supportsHolding: Bool { get { fatalError() } set { fatalError() } }
        open var supportsGrouping: Bool { get { fatalError() } set { fatalError() } }
        open var supportsUngrouping: Bool { get { fatalError() } set { fatalError() } }
        open var supportsDTMF: Bool { get { fatalError() } set { fatalError() } }
        open var hasVideo: Bool { get { fatalError() } set { fatalError() } }
    }
    open class CXProviderConfiguration: NSObject {
        public override init() { fatalError() }
        open var ringtoneSound: String? { get { fatalError() } set { fatalError() } }
        open var iconTemplateImageData: Data? { get { fatalError() } set { fatalError() } }
        open var maximumCallGroups: Int { get { fatalError() } set { fatalError() } }
        open var maximumCallsPerCallGroup: Int { get { fatalError() } set { fatalError() } }
        open var includesCallsInRecents: Bool { get { fatalError() } set { fatalError() } }
        open var supportsVideo: Bool { get { fatalError() } set { fatalError() } }
        open var supportedHandleTypes: Set<CXHandle.HandleType> { get { fatalError() } set { fatalError() } }
    }
    public enum CXCallEndedReason: Int, Sendable {
        case failed = 1
        case remoteEnded = 2
        case unanswered = 3
        case answeredElsewhere = 4
        case declinedElsewhere = 5
    }
    public struct CXErrorCodeIncomingCallError: Error {
        public enum Code: Int, Sendable {
            case unknown = 0
            case unentitled = 1
            case callUUIDAlreadyExists = 2
            case filteredByDoNotDisturb = 3
            case filteredByBlockList = 4
            case filteredDuringRestrictedSharingMode = 5
            case callIsProtected = 6
            case filteredBySensitiveParticipants = 7
        }
        public var code: Code { fatalError() }
    }

    // All but the first are optional in the SDK. Those that are implemented are required here, or a misspelt one would pass.
    public protocol CXProviderDelegate: NSObjectProtocol {
        func providerDidReset(_ provider: CXProvider)
        func provider(_ provider: CXProvider, perform action: CXStartCallAction)
        func provider(_ provider: CXProvider, perform action: CXAnswerCallAction)
        func provider(_ provider: CXProvider, perform action: CXEndCallAction)
        func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction)
        func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction)
        func provider(_ provider: CXProvider, timedOutPerforming action: CXAction)
        func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession)
        func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession)
    }
    open class CXProvider: NSObject {
        public init(configuration: CXProviderConfiguration) { fatalError() }
        open var configuration: CXProviderConfiguration { get { fatalError() } set { fatalError() } }
        open func setDelegate(_ delegate: (any CXProviderDelegate)?, queue: DispatchQueue?) { fatalError() }
        open func reportNewIncomingCall(
            with UUID: UUID, update: CXCallUpdate, completion: @escaping @Sendable ((any Error)?) -> Void
        ) { fatalError() }
        open func reportCall(with UUID: UUID, updated update: CXCallUpdate) { fatalError() }
        open func reportCall(with UUID: UUID, endedAt dateEnded: Date?, reason endedReason: CXCallEndedReason) { fatalError() }
        open func reportOutgoingCall(with UUID: UUID, startedConnectingAt dateStartedConnecting: Date?) { fatalError() }
        open func reportOutgoingCall(with UUID: UUID, connectedAt dateConnected: Date?) { fatalError() }
        open func invalidate() { fatalError() }
    }
#endif
