import ArgumentParser

struct Duet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duet",
        abstract: "Two peers, connected by WebRTC, from a shell.",
        discussion: """
            Examples:
              duet demo                      two processes call each other
              duet serve                     signalling for calls by name, and a page to call from
              duet answer --as bob           waits for a call, of a browser or of
              duet call bob                  the other end
              duet peer offer                one end of a connection, signalled by hand
              duet peer answer --echo        the other end, which sends all back
            """,
        version: Version.current,
        subcommands: [
            ServeCommand.self, CallCommand.self, AnswerCallCommand.self, DemoCommand.self, PeerCommand.self,
            DemoPeerCommand.self,
        ])
}
