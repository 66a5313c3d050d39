import ArgumentParser

@main
struct Duet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duet",
        abstract: "Two peers, connected by WebRTC, from a shell.",
        discussion: """
            Examples:
              duet demo                      two processes send each other a file
              duet peer offer                one end of a connection, signalled by hand
              duet peer answer --echo        the other end, which sends all back
            """,
        version: Version.current,
        subcommands: [PeerCommand.self, DemoCommand.self, DemoPeerCommand.self])
}
