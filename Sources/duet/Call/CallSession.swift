import Foundation
import Logging
import RTC
import RTCSignaling

/// One run of `duet call` or `duet answer`: signs in, and carries one call after another, one at a time.
///
/// Everything that happens goes through one queue, ``CallInput``. This file begins and ends a run;
/// `CallSession+Signaling` is what the server says, `CallSession+Link` the connection and its descriptions,
/// `CallSession+Media` sound, picture and chat, `CallSession+Time` what happens by itself.
actor CallSession {
    let settings: CallSettings
    let client: SignalingClient
    let reporter: any CallReporter
    let local: LocalMedia
    let sinks: CallSinks
    let log = Logger(label: "duet.call")
    nonisolated let inputs: AsyncStream<CallInput>
    nonisolated let feed: AsyncStream<CallInput>.Continuation

    var call: CurrentCall?
    var callCount = 0
    var iceServers: [SignalingICEServer] = []
    /// Whether the server has let us in for the first time.
    var hasBeenWelcomed = false
    /// The exit status, once it is known.
    var status: Int32?
    /// Whether a signal, or the end of our output, wants all of it to end.
    var isEnding = false

    /// - Parameters:
    ///   - local: What is sent.
    ///   - sinks: Where what is received goes.
    init(
        _ settings: CallSettings, client: SignalingClient, reporter: any CallReporter, local: LocalMedia,
        sinks: CallSinks
    ) {
        self.settings = settings
        self.client = client
        self.reporter = reporter
        self.local = local
        self.sinks = sinks
        (inputs, feed) = AsyncStream.makeStream(of: CallInput.self)
    }

    /// Tells the session what a person wants, from anywhere.
    nonisolated func wish(_ wish: CallWish) {
        feed.yield(.person(wish))
    }

    /// - Returns: The exit status.
    func run() async -> Int32 {
        do throws(SignalingClientError) {
            let welcome = try await client.connect()
            iceServers = welcome.iceServers
            reporter.show(.signedIn(SignalingAddress(user: welcome.user, device: welcome.device)))
        } catch {
            Refusal.say(error.message)
            await reporter.finish()
            return CallStatus.server
        }
        let listening = Task { [feed, client] in
            for await event in client.events { feed.yield(.signaling(event)) }
        }
        let ticking = Task { [feed] in
            while (try? await Task.sleep(for: .milliseconds(100))) != nil { feed.yield(.tick) }
        }
        defer {
            listening.cancel()
            ticking.cancel()
        }
        switch settings.role {
        case .call(let address, let calling): await place(to: address, calling)
        case .answer: reporter.show(.waiting)
        }
        if status == nil {
            for await input in inputs {
                await handle(input)
                if status != nil { break }
            }
        }
        local.stop()
        if let failure = await sinks.finish() { reporter.show(.trouble(failure)) }
        // What was said last has to leave before the socket does.
        await client.disconnect()
        await reporter.finish()
        return status ?? CallStatus.failed
    }

    private func handle(_ input: CallInput) async {
        switch input {
        case .signaling(let event): await handle(event)
        case .link(let number, let input):
            guard number == call?.number else { return }
            await handle(input)
        case .person(let wish): await obey(wish)
        case .trouble(let text): reporter.show(.trouble(text))
        case .tick: await tick(.now)
        }
    }

    // MARK: What a person wants

    private func obey(_ wish: CallWish) async {
        switch wish {
        case .end:
            isEnding = true
            guard call != nil else { return status = CallStatus.interrupted }
            await hangUp()
        case .hangUp: await hangUp()
        case .accept:
            if call?.phase == .ringing { await accept() }
        case .reject: await reject()
        case .setMuted(let isMuted, .audio): local.audio?.isEnabled = !isMuted
        case .setMuted(let isMuted, .video): local.video?.isEnabled = !isMuted
        case .chat(let text): await sendChat(text)
        case .restartICE: await call?.connection?.restartICE()
        }
    }

    /// Ends the call as its state has it: a cancellation, a rejection or a hang-up.
    func hangUp(reason: CallReason = .normal) async {
        guard let call else { return }
        switch call.phase {
        case .preparing: await end(.cancelled(byUs: true))
        case .inviting:
            say { () throws(SignalingClientError) in try client.cancel(call.id) }
            await end(.cancelled(byUs: true))
        case .ringing: await reject()
        case .answering, .running:
            say { () throws(SignalingClientError) in try client.hangUp(call.id, reason: reason) }
            await end(.hungUp(byUs: true, reason: reason.rawValue))
        }
    }

    private func reject() async {
        guard let call, call.phase == .ringing else { return }
        say { () throws(SignalingClientError) in try client.reject(call.id, reason: .declined) }
        await end(.rejected(byUs: true, reason: CallReason.declined.rawValue))
    }

    /// Says something to the server. What it cannot be told now it need not know: the call goes on without it.
    func say(_ message: () throws(SignalingClientError) -> Void) {
        do throws(SignalingClientError) { try message() } catch { log.warning("\(error.message)") }
    }

    // MARK: The end of a call

    func end(_ outcome: CallOutcome) async {
        guard var call else { return }
        self.call = nil
        call.summary.outcome = outcome
        call.summary.peer = call.peerName
        if let connection = call.connection, call.wasConnected {
            call.summary.seconds = call.connectedAt.map { $0.duration(to: .now) / .seconds(1) }
            let pictureSeconds = call.firstPictureAt.map { $0.duration(to: .now) / .seconds(1) }
            call.summary.take(await connection.getStats(), pictureSeconds: pictureSeconds)
            if !call.roundTrips.isEmpty {
                call.summary.roundTrip = call.roundTrips.reduce(0, +) / Double(call.roundTrips.count)
            }
        }
        for task in call.tasks { task.cancel() }
        await call.connection?.close()
        if call.wasConnected { call.summary.recording = settings.recording }
        await sinks.callEnded(outcome.sentence(call.peerName))
        reporter.show(.ended(call.summary))
        let result = CallStatus.of(outcome, wasConnected: call.wasConnected)
        switch settings.role {
        case .call:
            if result != CallStatus.connected { Refusal.say(outcome.sentence(call.peerName)) }
            status = result
        case .answer(let answering):
            let tookPlace = call.wasConnected || call.phase == .answering || call.phase == .running || answering.rejects
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
