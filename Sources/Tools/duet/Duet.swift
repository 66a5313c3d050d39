import ArgumentParser

struct Duet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duet",
        abstract: "Two peers, connected by WebRTC, from a shell.",
        discussion: """
            Examples:
              duet serve                     signalling for calls by name, and a page to call from
              duet answer --as bob           waits for a call, from a browser or from
              duet call bob                  the other end
              duet devices --watch           cameras and microphones, and their changes
              duet camera preview            shows one
              duet login https://id.example.org  signs in, for a server that asks who you are
              duet web https://example.com   a page that may use camera and microphone
              duet peer offer                one end of a connection, signalled by hand
              duet peer answer --echo        the other end, which echoes messages
              duet doctor                    what a call could use on this network, and what is wrong
            """,
        version: Version.current,
        subcommands: [
            ServeCommand.self, CallCommand.self, AnswerCallCommand.self, DevicesCommand.self, CameraCommand.self,
            PeerCommand.self, LoginCommand.self, LogoutCommand.self, WebCommand.self,
            DoctorCommand.self,
        ])
}
