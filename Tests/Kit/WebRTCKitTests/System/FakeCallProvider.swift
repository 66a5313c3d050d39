import Foundation

@testable import WebRTCKit

/// CallKit's rules. Whatever breaks one is written down in `violations`.
///
/// Each rule names the page of Apple's documentation that it follows.
@MainActor
final class FakeCallProvider: CallProvider {
    struct Refused: Error {}

    struct Listed: Equatable {
        var caller: SystemCalls.Caller
        var isOutgoing: Bool
        var isConnected = false
        var isMuted = false
        var isHeld = false
    }

    var onEvent: (@MainActor (SystemCalls.Event) -> Void)?

    private(set) var calls: [UUID: Listed] = [:]
    private(set) var ended: [UUID: SystemCalls.EndReason] = [:]
    private(set) var violations: [String] = []
    /// What is waited for.
    private(set) var actions: [UUID: SystemCalls.Action] = [:]
    private(set) var fulfilled: [SystemCalls.Action] = []
    private(set) var failed: [SystemCalls.Action] = []
    private(set) var reportCount = 0
    private(set) var isAudioActive = false
    /// Refuses the next incoming call.
    var refusal: SystemCalls.Refusal?
    /// Allows nothing that the app asks for.
    var refusesRequests = false
    /// The session that is activated for calls.
    weak var session: FakeAudioSession?

    var call: Listed? { calls.values.first }
    var callID: UUID? { calls.keys.first }

    // MARK: What the app does

    /// A call that is there already is refused, as is one more than the provider was made for, and one that the person wants to hear of
    /// no more. The answer comes later, from another process.
    /// https://developer.apple.com/documentation/callkit/cxprovider/reportnewincomingcall(with:update:completion:)
    /// https://developer.apple.com/documentation/callkit/cxerrorcodeincomingcallerror-swift.struct/code
    func reportIncomingCall(
        _ call: UUID, _ caller: SystemCalls.Caller, completion: @escaping @MainActor (SystemCalls.Refusal?) -> Void
    ) {
        reportCount += 1
        var refused = refusal
        refusal = nil
        if calls[call] != nil { refused = .alreadyExists }
        if refused == nil, !calls.isEmpty { refused = .other("there is a call") }
        if refused == nil { calls[call] = Listed(caller: caller, isOutgoing: false) }
        Task { completion(refused) }
    }

    /// What is reported of an outgoing call is of one that the provider knows.
    /// https://developer.apple.com/documentation/callkit/cxprovider/reportoutgoingcall(with:startedconnectingat:)
    func reportStartedConnecting(_ call: UUID) {
        if calls[call]?.isOutgoing != true { violations.append("an unknown call connects") }
    }

    /// It is connected after its action to start was fulfilled.
    /// https://developer.apple.com/documentation/callkit/cxprovider/reportoutgoingcall(with:connectedat:)
    func reportConnected(_ call: UUID) {
        if calls[call]?.isOutgoing != true { violations.append("an unknown call is connected") }
        if actions.values.contains(where: { $0.call == call }) { violations.append("connected before it was started") }
        calls[call]?.isConnected = true
    }

    /// Only of calls that ended otherwise than by an action.
    /// https://developer.apple.com/documentation/callkit/cxprovider/reportcall(with:endedat:reason:)
    func reportEnded(_ call: UUID, because reason: SystemCalls.EndReason) {
        if calls.removeValue(forKey: call) == nil { violations.append("an unknown call ends") }
        ended[call] = reason
        deactivateAudio()
    }

    /// The system allows a transaction, and then asks the provider to perform its actions; it refuses one about a call that it does not
    /// know, and a call more than the provider was made for.
    /// https://developer.apple.com/documentation/callkit/cxcallcontroller/request(_:completion:)
    /// https://developer.apple.com/documentation/callkit/cxerrorcoderequesttransactionerror-swift.struct/code
    func request(_ request: SystemCalls.Request) async throws {
        if case .start(let caller) = request.kind {
            guard calls.isEmpty, !refusesRequests else { throw Refused() }
            calls[request.call] = Listed(caller: caller, isOutgoing: true)
        } else {
            guard calls[request.call] != nil, !refusesRequests else { throw Refused() }
        }
        Task { ask(request.call, request.kind) }
    }

    /// Each action is fulfilled or fails, once, before its time is over.
    /// https://developer.apple.com/documentation/callkit/cxaction/fulfill()
    /// https://developer.apple.com/documentation/callkit/cxaction/fail()
    func fulfill(_ id: UUID) {
        guard let action = actions.removeValue(forKey: id) else {
            violations.append("fulfilled what nobody waits for")
            return
        }
        fulfilled.append(action)
        switch action.kind {
        case .start: activateAudio()
        case .answer:
            calls[action.call]?.isConnected = true
            activateAudio()
        case .end:
            calls[action.call] = nil
            deactivateAudio()
        case .mute(let isOn): calls[action.call]?.isMuted = isOn
        case .hold(let isOn):
            calls[action.call]?.isHeld = isOn
            if isOn { deactivateAudio() } else { activateAudio() }
        }
    }

    func fail(_ id: UUID) {
        guard let action = actions.removeValue(forKey: id) else {
            violations.append("failed what nobody waits for")
            return
        }
        failed.append(action)
        if case .start = action.kind { calls[action.call] = nil }
    }

    /// The system activates the session for a call that was started, answered or taken up again, and says so afterwards.
    /// https://developer.apple.com/documentation/callkit/cxproviderdelegate/provider(_:didactivate:)
    private func activateAudio() {
        guard !isAudioActive else { return }
        isAudioActive = true
        Task {
            guard isAudioActive else { return }
            session?.activatedBySystem()
            onEvent?(.audioActivated)
        }
    }

    /// https://developer.apple.com/documentation/callkit/cxproviderdelegate/provider(_:diddeactivate:)
    private func deactivateAudio() {
        guard isAudioActive else { return }
        isAudioActive = false
        session?.deactivatedBySystem()
        onEvent?(.audioDeactivated)
    }

    // MARK: What the person and the system do

    @discardableResult
    func ask(_ call: UUID, _ kind: SystemCalls.Action.Kind) -> UUID {
        let action = SystemCalls.Action(id: UUID(), call: call, kind: kind)
        actions[action.id] = action
        onEvent?(.action(action))
        return action.id
    }

    /// https://developer.apple.com/documentation/callkit/cxproviderdelegate/provider(_:timedoutperforming:)
    func timeOut(_ action: UUID) {
        guard actions.removeValue(forKey: action) != nil else { return }
        onEvent?(.actionTimedOut(action))
    }

    /// The provider knows none of its calls any more, and waits for nothing.
    /// https://developer.apple.com/documentation/callkit/cxproviderdelegate/providerdidreset(_:)
    func reset() {
        calls = [:]
        actions = [:]
        isAudioActive = false
        session?.deactivatedBySystem()
        onEvent?(.reset)
    }
}

/// PushKit's rule: who does not report a call before the handler returns is killed.
/// https://developer.apple.com/documentation/pushkit/pkpushregistrydelegate/pushregistry(_:didreceiveincomingpushwith:for:completion:)
/// https://developer.apple.com/documentation/pushkit/responding-to-voip-notifications-from-pushkit
@MainActor
final class FakePushRegistry: PushRegistry {
    var onEvent: (@MainActor (PushHandler.Event) -> Void)?
    private(set) var isRegistered = false
    private(set) var isAppKilled = false
    private(set) var completions = 0
    private let provider: FakeCallProvider

    init(_ provider: FakeCallProvider) {
        self.provider = provider
    }

    func register() { isRegistered = true }
    func unregister() { isRegistered = false }

    func deliver(_ payload: String) {
        let reports = provider.reportCount
        onEvent?(
            .push(
                payload: Data(payload.utf8),
                completion: {
                    self.completions += 1
                    if self.provider.reportCount == reports { self.isAppKilled = true }
                }))
        if provider.reportCount == reports { isAppKilled = true }
    }
}

/// The rules of an app's audio session, each with the page of Apple's documentation that it follows.
@MainActor
final class FakeAudioSession: AudioSession {
    struct Failed: Error {}

    var onEvent: (@MainActor (AudioSessionController.Event) -> Void)?
    var outputs: [AudioSessionController.Output] = [.receiver]

    private(set) var use: AudioSessionController.Use?
    private(set) var isActive = false
    private(set) var isSpeakerOn = false
    private(set) var violations: [String] = []
    private(set) var activations = 0
    /// Whether calls of the system are there, whose session nobody else activates.
    var belongsToSystem = false
    var fails = false

    func configure(_ use: AudioSessionController.Use) throws {
        if fails { throw Failed() }
        self.use = use
    }

    /// Category and mode come before, and the session of a call of the system's list is the system's to activate.
    /// https://developer.apple.com/documentation/avfaudio/avaudiosession/setactive(_:options:)
    /// https://developer.apple.com/documentation/callkit/cxproviderdelegate/provider(_:didactivate:)
    func setActive(_ isActive: Bool) throws {
        if fails { throw Failed() }
        if belongsToSystem { violations.append("the app has activated the session of a call") }
        if isActive, use == nil { violations.append("active before it was set up") }
        if isActive { activations += 1 }
        self.isActive = isActive
    }

    /// https://developer.apple.com/documentation/avfaudio/avaudiosession/overrideoutputaudioport(_:)
    func setSpeaker(_ isOn: Bool) throws {
        if fails { throw Failed() }
        isSpeakerOn = isOn
    }

    func activatedBySystem() {
        if use == nil { violations.append("a call without category and mode") }
        isActive = true
    }

    func deactivatedBySystem() { isActive = false }

    // MARK: What happens to it

    /// The system has deactivated the session before it says so.
    /// https://developer.apple.com/documentation/avfaudio/handling-audio-interruptions
    func interrupt() {
        isActive = false
        onEvent?(.interruptionBegan)
    }

    /// What was before is told with the change.
    /// https://developer.apple.com/documentation/avfaudio/responding-to-audio-route-changes
    func change(
        to outputs: [AudioSessionController.Output], _ reason: AudioSessionController.RouteChange.Reason = .other
    ) {
        let previous = self.outputs
        self.outputs = outputs
        onEvent?(.routeChanged(.init(reason: reason, previous: previous, current: outputs)))
    }

    /// The session is as at the app's start.
    /// https://developer.apple.com/documentation/avfaudio/avaudiosession/mediaserviceswereresetnotification
    func dieAndComeBack() {
        use = nil
        isActive = false
        isSpeakerOn = false
        onEvent?(.mediaServicesReset)
    }
}
