import ArgumentParser

@main
struct Duet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duet",
        abstract: "Two peers, connected by WebRTC, from a shell.",
        discussion: """
            Examples:
              duet demo                      two processes connect and send each other a file
              duet peer offer                one end of a connection, signalled by hand
              duet peer answer --echo        the other end, which sends back what it receives
            """,
        version: Version.current,
        subcommands: [PeerCommand.self, DemoCommand.self, DemoPeerCommand.self])
}
