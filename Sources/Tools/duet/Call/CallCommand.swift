import ArgumentParser
import DuetShell
import Foundation
import RTCSignaling

/// `duet call`
struct CallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "call",
        abstract: "Call somebody.",
        discussion: """
            The other side is the user who is signed in under that name: another duet (“duet answer”), or a browser with the \
            page of “duet serve”. During the call, a table shows statistics; Ctrl-C hangs up.

            Examples:
              duet call bob
              duet call bob --video film.mp4 --window
              duet call bob --as alice --video test:1280x720 --audio speech.wav --codec vp9 --duration 30
              duet call bob/k3v9 --server wss://calls.example.org --token-file token.txt --record bob.webm

            The exit status is 0 if there was a call, 1 if it failed, 2 if an option cannot be satisfied, 3 if the server \
            cannot be reached or refuses, 4 if nobody is signed in under that name, 5 if the call was declined, or hung up by \
            the other side before there was a path, 6 if the other side is busy, 7 if nobody answered, 130 if this side gave up before that.
            """)

    @Argument(help: ArgumentHelp("The user to call, or one device of that user.", valueName: "user[/device]"))
    var peer: String

    @Option(name: .customLong("as"), help: ArgumentHelp("Who we are. Without it, who is logged in.", valueName: "user"))
    var user: String?

    @Option(help: ArgumentHelp("How long it may ring, 1 to 120.", valueName: "seconds"))
    var ringFor = Invite.defaultLifetime

    @OptionGroup var options: CallOptions

    func validate() throws {
        guard Invite.lifetimes.contains(ringFor) else { throw ValidationError("--ring-for is 1 to 120 seconds") }
    }

    func run() async throws {
        options.logging.bootstrap()
        do {
            guard let address = SignalingAddress(peer) else {
                throw Refusal("\(peer) cannot be called: a name has letters, digits and marks like . - _ @")
            }
            let settings = try options.settings(role: .call(address, .init(lifetime: ringFor)))
            throw ExitCode(try await options.run(settings, as: try options.user(user, ifOpen: "caller")))
        } catch let refusal as Refusal {
            throw Refusal.exit(refusal.description)
        }
    }
}

/// `duet answer`
struct AnswerCallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Wait for a call, and take it.",
        discussion: """
            Examples:
              duet answer --as bob
              duet answer --as bob --stay --video film.mp4
              duet answer --as bob --ring 3 --record alice.webm

            The exit status is that of “duet call”.
            """)

    @Option(name: .customLong("as"), help: ArgumentHelp("Who we are.", valueName: "user"))
    var user: String?

    @Option(help: ArgumentHelp("Ring for this long before answering.", valueName: "seconds"))
    var ring = 0.0

    @Flag(help: "Decline the call.")
    var reject = false

    @Flag(help: "When a call is over, wait for the next one.")
    var stay = false

    @OptionGroup var options: CallOptions

    func validate() throws {
        guard (0...3_600).contains(ring) else { throw ValidationError("--ring is 0 to 3600 seconds") }
        guard !stay || options.record == nil else {
            throw ValidationError("--record holds one call, and --stay takes many: give one of the two")
        }
    }

    func run() async throws {
        options.logging.bootstrap()
        do {
            let answering = CallSettings.Answering(ringing: .seconds(ring), rejects: reject, stays: stay)
            let settings = try options.settings(role: .answer(answering))
            throw ExitCode(try await options.run(settings, as: try options.user(user, ifOpen: nil)))
        } catch let refusal as Refusal {
            throw Refusal.exit(refusal.description)
        }
    }
}

extension CallOptions {
    /// - Returns: The exit status.
    fileprivate func run(_ settings: CallSettings, as user: UserID?) async throws(Refusal) -> Int32 {
        let signaling = try signaling(user: user)
        // Checked first, and not after the first attempt to connect.
        if login != nil { try await LoginOptions.check(signaling.token) }
        return try await CallRun.run(settings, media, signaling: signaling)
    }

    /// The user to sign in as, unless a token determines it.
    ///
    /// - Parameter ifOpen: The prefix of a generated name, for neither a user, nor a token, nor a login name.
    fileprivate func user(_ text: String?, ifOpen prefix: String?) throws(Refusal) -> UserID? {
        if let text { return try Self.user(text, option: "--as") }
        if token != nil || tokenFile != nil || login != nil { return nil }
        guard let prefix else { throw Refusal("say who you are: --as NAME") }
        if let login = ProcessInfo.processInfo.environment["USER"], let user = UserID(rawValue: login) { return user }
        return UserID(rawValue: "\(prefix)-\(SignalingDeviceID.random().rawValue.prefix(6))")
    }
}
