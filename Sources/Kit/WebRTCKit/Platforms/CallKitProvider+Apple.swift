#if canImport(CallKit) && !os(macOS)
    import AVFoundation
    import CallKit
    public import Foundation

    /// Shows calls in the system's interface with CallKit. ``SystemCalls`` decides what happens to them.
    ///
    /// The app needs the background mode `voip` in its Info.plist.
    @MainActor
    public final class CallKitProvider: CallProvider {
        /// The appearance of the app's calls in the system's interface.
        public struct Configuration: Sendable {
            public var supportsVideo = true
            public var includesCallsInRecents = true
            /// The name of a sound file in the app's bundle.
            public var ringtone: String?
            /// The icon: a square PNG, 40 points wide, of which only the alpha channel is used.
            public var icon: Data?

            public init() {}
        }

        package var onEvent: (@MainActor (SystemCalls.Event) -> Void)?

        private var provider: CXProvider { owned.provider }
        private let owned: OwnedProvider
        private let controller = CXCallController(queue: .main)
        private let receiver = CallKitReceiver()
        /// The pending actions of the system. A missing one was completed or has timed out.
        private var actions: [UUID: CXAction] = [:]
        /// The callees of requested calls, until the system starts them: it passes on only the handle.
        private var callees: [UUID: SystemCalls.Caller] = [:]

        public init(_ configuration: Configuration = Configuration()) {
            let system = CXProviderConfiguration()
            system.supportsVideo = configuration.supportsVideo
            system.includesCallsInRecents = configuration.includesCallsInRecents
            system.ringtoneSound = configuration.ringtone
            system.iconTemplateImageData = configuration.icon
            system.supportedHandleTypes = [.generic]
            // The kit has one call at a time.
            system.maximumCallGroups = 1
            system.maximumCallsPerCallGroup = 1
            owned = OwnedProvider(CXProvider(configuration: system))
            receiver.owner = self
            // Without a queue it calls on the main queue, which is the main actor's.
            provider.setDelegate(receiver, queue: nil)
        }

        /// Removes the app's calls from the system's interface. Call it if the app makes no more calls until its next
        /// launch.
        public func invalidate() { provider.invalidate() }

        // MARK: To the system

        package func reportIncomingCall(
            _ call: UUID, _ caller: SystemCalls.Caller, completion: @escaping @MainActor (SystemCalls.Refusal?) -> Void
        ) {
            // CallKit calls this handler on a queue of its own.
            provider.reportNewIncomingCall(with: call, update: Self.update(caller)) { @Sendable error in
                let refusal = error.map { Self.refusal($0) }
                Task { @MainActor in completion(refusal) }
            }
        }

        private static func update(_ caller: SystemCalls.Caller) -> CXCallUpdate {
            let update = CXCallUpdate()
            update.remoteHandle = CXHandle(type: .generic, value: caller.peer)
            update.localizedCallerName = caller.displayLabel
            update.hasVideo = caller.hasVideo
            update.supportsHolding = true
            update.supportsGrouping = false
            update.supportsUngrouping = false
            update.supportsDTMF = false
            return update
        }

        private nonisolated static func refusal(_ error: any Error) -> SystemCalls.Refusal {
            guard let error = error as? CXErrorCodeIncomingCallError else { return .other(error.localizedDescription) }
            switch error.code {
            case .callUUIDAlreadyExists: return .alreadyExists
            case .filteredByDoNotDisturb, .filteredByBlockList: return .filtered
            default: return .other(error.localizedDescription)
            }
        }

        package func reportStartedConnecting(_ call: UUID) {
            provider.reportOutgoingCall(with: call, startedConnectingAt: nil)
        }

        package func reportConnected(_ call: UUID) { provider.reportOutgoingCall(with: call, connectedAt: nil) }

        package func reportEnded(_ call: UUID, because reason: SystemCalls.EndReason) {
            let ended: CXCallEndedReason =
                switch reason {
                case .failed: .failed
                case .remoteEnded: .remoteEnded
                case .unanswered: .unanswered
                case .answeredElsewhere: .answeredElsewhere
                case .declinedElsewhere: .declinedElsewhere
                }
            provider.reportCall(with: call, endedAt: nil, reason: ended)
        }

        package func request(_ request: SystemCalls.Request) async throws {
            let action: CXAction =
                switch request.kind {
                case .start(let caller): Self.start(request.call, caller)
                case .answer: CXAnswerCallAction(call: request.call)
                case .end: CXEndCallAction(call: request.call)
                case .mute(let isOn): CXSetMutedCallAction(call: request.call, muted: isOn)
                case .hold(let isOn): CXSetHeldCallAction(call: request.call, onHold: isOn)
                }
            if case .start(let caller) = request.kind { callees[request.call] = caller }
            do {
                try await perform(CXTransaction(action: action))
            } catch {
                callees[request.call] = nil
                throw error
            }
        }

        private func perform(_ transaction: CXTransaction) async throws {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                controller.request(transaction) { @Sendable error in
                    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                }
            }
        }

        private static func start(_ call: UUID, _ caller: SystemCalls.Caller) -> CXStartCallAction {
            let action = CXStartCallAction(call: call, handle: CXHandle(type: .generic, value: caller.peer))
            action.isVideo = caller.hasVideo
            return action
        }

        package func fulfill(_ action: UUID) { actions.removeValue(forKey: action)?.fulfill() }
        package func fail(_ action: UUID) { actions.removeValue(forKey: action)?.fail() }

        // MARK: From the system

        fileprivate func wasReset() {
            actions = [:]
            callees = [:]
            onEvent?(.reset)
        }

        fileprivate func perform(_ action: CXStartCallAction) {
            let caller =
                callees.removeValue(forKey: action.callUUID)
                ?? SystemCalls.Caller(peer: action.handle.value, hasVideo: action.isVideo)
            // Otherwise the system would offer groups and DTMF.
            provider.reportCall(with: action.callUUID, updated: Self.update(caller))
            perform(action, .start(caller))
        }

        fileprivate func perform(_ action: CXCallAction, _ kind: SystemCalls.Action.Kind) {
            actions[action.uuid] = action
            onEvent?(.action(SystemCalls.Action(id: action.uuid, call: action.callUUID, kind: kind)))
        }

        fileprivate func timedOut(_ action: CXAction) {
            actions[action.uuid] = nil
            onEvent?(.actionTimedOut(action.uuid))
        }
    }

    extension SystemCalls {
        /// Creates the connection between a controller and the system.
        ///
        /// - Parameters:
        ///   - controller: The controller that makes the calls.
        ///   - provider: The system's call interface.
        ///   - audio: The audio session, which the system activates from now on.
        ///   - settings: When the call of a push ends by itself.
        public convenience init(
            controller: WebRTCController, provider: CallKitProvider, audio: AudioSessionController? = nil,
            settings: Settings = Settings()
        ) {
            let (control, system): (any CallControl, any CallProvider) = (controller, provider)
            self.init(controller: control, provider: system, audio: audio, settings: settings)
        }
    }

    /// Invalidates the system's provider at release.
    private final class OwnedProvider {
        let provider: CXProvider

        init(_ provider: CXProvider) { self.provider = provider }
        deinit { provider.invalidate() }
    }

    /// The delegate of CallKit, on the main queue. Its protocol predates actors; the runtime checks the queue.
    @MainActor
    private final class CallKitReceiver: NSObject, @preconcurrency CXProviderDelegate {
        weak var owner: CallKitProvider?

        func providerDidReset(_ provider: CXProvider) { owner?.wasReset() }
        func provider(_ provider: CXProvider, perform action: CXStartCallAction) { owner?.perform(action) }
        func provider(_ provider: CXProvider, perform action: CXAnswerCallAction) { owner?.perform(action, .answer) }
        func provider(_ provider: CXProvider, perform action: CXEndCallAction) { owner?.perform(action, .end) }
        func provider(_ provider: CXProvider, perform action: CXSetHeldCallAction) {
            owner?.perform(action, .hold(action.isOnHold))
        }
        func provider(_ provider: CXProvider, perform action: CXSetMutedCallAction) {
            owner?.perform(action, .mute(action.isMuted))
        }
        func provider(_ provider: CXProvider, timedOutPerforming action: CXAction) { owner?.timedOut(action) }
        func provider(_ provider: CXProvider, didActivate audioSession: AVAudioSession) {
            owner?.onEvent?(.audioActivated)
        }
        func provider(_ provider: CXProvider, didDeactivate audioSession: AVAudioSession) {
            owner?.onEvent?(.audioDeactivated)
        }
    }
#endif
