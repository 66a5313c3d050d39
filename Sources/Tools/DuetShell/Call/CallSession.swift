import Foundation
import Logging
import RTC
import WebRTCKit

/// One run of `duet call` or `duet answer`: signs in, and has one call after another.
///
/// The kit makes the calls. This actor handles requests and reports: everything goes through one queue, ``CallInput``.
/// `CallSession+Call` has the kit's events, `CallSession+Server` those of the server's connection, `CallSession+Media` video,
/// audio and chat, `CallSession+Time` deadlines.
actor CallSession {
    let settings: CallSettings
    let controller: WebRTCController
    let signaling: DuetSignaling
    let reporter: any CallReporter
    let local: LocalMedia
    let sinks: CallSinks
    /// The machine's devices; `nil` if none is used.
    let machine: CallMachine?
    let log = Logger(label: "duet.call")
    nonisolated let inputs: AsyncStream<CallInput>
    nonisolated let feed: AsyncStream<CallInput>.Continuation

    var call: CurrentCall?
    var callCount = 0
    /// The final statistics of the call that ends next.
    var finalStatistics: StatisticsReport?
    /// Whether the first sign-in has succeeded.
    var hasBeenWelcomed = false
    /// Whether the connection to the server ended for good.
    var hasLostServer = false
    /// The exit status, once it is known.
    var status: Int32?
    /// Whether to exit, after a signal or because standard output was closed.
    var isEnding = false

    /// - Parameters:
    ///   - local: The media to send.
    ///   - sinks: The destinations of received media.
    ///   - machine: The devices to use.
    init(
        _ settings: CallSettings, controller: WebRTCController, signaling: DuetSignaling,
        reporter: any CallReporter, local: LocalMedia, sinks: CallSinks,
        machine: CallMachine? = nil
    ) {
        self.settings = settings
        self.controller = controller
        self.signaling = signaling
        self.reporter = reporter
        self.local = local
        self.sinks = sinks
        self.machine = machine
        (inputs, feed) = AsyncStream.makeStream(of: CallInput.self)
    }

    /// Requests an action, on any thread.
    nonisolated func request(_ action: CallAction) {
        feed.yield(.action(action))
    }

    /// - Returns: The exit status.
    func run() async -> Int32 {
        let events = controller.events
        let reading = Task { [feed] in for await event in events { feed.yield(.kit(event)) } }
        defer { reading.cancel() }
        do {
            try await startMedia()
            await showDevices()
            try await connect()
        } catch CallManagerError.deviceUnavailable(let reason) {
            Refusal.say(reason.message)
            await sinks.screen?.close()
            await reporter.finish()
            return CallStatus.refusal
        } catch {
            Refusal.say((error as? SignalingClientError)?.message ?? "\(error)")
            await reporter.finish()
            return CallStatus.server
        }
        let ticking = Task { [feed] in
            while (try? await Task.sleep(for: .milliseconds(100))) != nil { feed.yield(.tick) }
        }
        for await input in inputs {
            await handle(input)
            if status != nil { break }
        }
        ticking.cancel()
        if let failure = await sinks.finish() { reporter.show(.trouble(failure)) }
        // The last message has to be sent before the process ends.
        try? await controller.disconnect()
        await signaling.waitUntilDisconnected()
        await reporter.finish()
        return status ?? CallStatus.failed
    }

    private func connect() async throws {
        switch settings.role {
        // If the callee is calling at the same time, the server has to know both invitations, since it decides glare.
        case .call(let address, _): try await controller.setupConnection(calling: address.description)
        case .answer: try await controller.setupConnection()
        }
    }

    private func handle(_ input: CallInput) async {
        switch input {
        case .kit(let event): await handle(event)
        case .media(let number, let input):
            guard number == call?.number else { return }
            handle(input)
        case .action(let action): await perform(action)
        case .trouble(let text): reporter.show(.trouble(text))
        case .devicesChanged: await showDevices()
        case .tick: await tick(.now)
        }
    }

    // MARK: Actions

    private func perform(_ action: CallAction) async {
        switch action {
        case .end:
            isEnding = true
            guard call != nil else { return status = CallStatus.interrupted }
            await hangUp()
        case .hangUp: await hangUp()
        case .accept: await answer(accept: true)
        case .reject: await answer(accept: false)
        case .setMuted(let isMuted, .audio): await controller.localAudioTrack?.isEnabled = !isMuted
        case .setMuted(let isMuted, .video): await controller.localVideoTrack?.isEnabled = !isMuted
        case .chat(let text): sendChat(text)
        case .restartICE: try? await controller.restartICE()
        case .device(let command): await perform(command)
        }
    }

    /// Answers or rejects the ringing call, if there is one.
    func answer(accept: Bool) async {
        guard let call = call?.call, call.direction == .incoming, !call.isAnswered else { return }
        self.call?.deadlines.accept = nil
        do {
            try await controller.answerCallRequest(accept: accept)
        } catch {
            // The call is over, which is being reported.
            log.info("The call cannot be answered: \(error)")
        }
    }

    /// Ends the call: cancels, rejects or hangs up, depending on its state.
    ///
    /// - Parameter outcome: The reason; `nil` if a person ends it.
    func hangUp(_ outcome: Call.Outcome? = nil) async {
        guard call != nil else { return }
        do {
            try await controller.endCall()
        } catch {
            // The call is over, which is being reported.
            return log.info("The call cannot be ended: \(error)")
        }
        call?.ending = outcome
    }

    // MARK: End of a call

    func ended() async {
        let statistics = finalStatistics
        finalStatistics = nil
        guard var call else { return }
        self.call = nil
        let outcome = call.outcome
        call.summary.outcome = outcome
        call.summary.peer = call.peerName
        if let connectedAt = call.connectedAt {
            call.summary.seconds = connectedAt.duration(to: .now) / .seconds(1)
            let pictureSeconds = call.firstPictureAt.map { $0.duration(to: .now) / .seconds(1) }
            if let statistics { call.summary.take(statistics, pictureSeconds: pictureSeconds) }
            if !call.roundTrips.isEmpty {
                call.summary.roundTrip = call.roundTrips.reduce(0, +) / Double(call.roundTrips.count)
            }
            call.summary.recording = settings.recording
        }
        await sinks.callEnded(outcome.sentence(call.peerName))
        reporter.show(.ended(call.summary))
        decideStatus(call, outcome)
    }

    private func decideStatus(_ call: CurrentCall, _ outcome: Call.Outcome) {
        let result = CallStatus.of(outcome, wasConnected: call.wasConnected)
        switch settings.role {
        case _ where hasLostServer: status = CallStatus.server
        case .call:
            if result != CallStatus.connected { Refusal.say(outcome.sentence(call.peerName)) }
            status = result
        case .answer(let answering):
            let tookPlace = call.call.isAnswered || answering.rejects
            if isEnding {
                status = call.wasConnected ? CallStatus.connected : CallStatus.interrupted
            } else if tookPlace, !answering.stays {
                if result != CallStatus.connected { Refusal.say(outcome.sentence(call.peerName)) }
                status = result
            } else {
                reporter.show(.waiting)
            }
        }
    }
}
