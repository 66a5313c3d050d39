import ArgumentParser

/// `duet peer`: one end of a connection.
struct PeerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "peer",
        abstract: "Be one end of a connection, signalled through standard input and output.",
        discussion: """
            Each line of standard output is one JSON object: a description, a candidate, or an event. Carry descriptions \
            and candidates to the standard input of the other end, and its own to here. Commands go to standard input as \
            well. Logs go to standard error. docs/command-line.md describes every line.

            Two ends on one machine, each told what the other one says:
              mkfifo there
              duet peer answer --echo < there | duet peer offer > there

            Commands:
              {"command":"send","label":"data","text":"hello"}
              {"command":"send","label":"data","base64":"AAEC"}
              {"command":"open","label":"more"}
              {"command":"closeChannel","label":"more"}
              {"command":"addTrack","kind":"video"}
              {"command":"removeTrack","kind":"video"}
              {"command":"mute","kind":"audio"}
              {"command":"unmute","kind":"audio"}
              {"command":"restartIce"}
              {"command":"setIceServers","iceServers":["stun:stun.example.org"]}
              {"command":"close"}

            The exit status is 0 if the peers had been connected, 1 if not, and 2 if an option cannot be satisfied.
            """,
        subcommands: [OfferCommand.self, AnswerCommand.self])
}

/// `duet peer offer`
struct OfferCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "offer",
        abstract: "Start a connection: print an offer, and wait for the answer.",
        discussion: """
            Without --channel, one reliable and ordered channel named “data” is opened.

            Examples:
              duet peer offer
              duet peer offer --no-trickle --channel chat --channel files
              duet peer offer --bench 16384 5
              duet peer offer --video test --audio tone --codec vp9
            """)

    @OptionGroup var options: PeerOptions

    func run() async throws {
        try await options.runPeer(as: .offer)
    }
}

/// `duet peer answer`
struct AnswerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Wait for an offer, and answer it.",
        discussion: """
            Channels are opened only where --channel or the command “open” says so, once the first offer has come.

            Examples:
              duet peer answer --echo
              duet peer answer --channel back --unordered --max-retransmits 0
              duet peer answer --record-video call.y4m --record-audio call.wav
            """)

    @OptionGroup var options: PeerOptions

    func run() async throws {
        try await options.runPeer(as: .answer)
    }
}
