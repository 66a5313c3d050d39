import WebRTCKit

@main
struct FirstCall {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count >= 3 else { return print("usage: first-call SERVER NAME [PEER]") }
        let server = try DuetSignaling(url: words[1], user: words[2])

        var options = WebRTCKit.Options()
        options.sources.microphone = PacedAudioSource(Tone())
        let controller = await WebRTCKit.initialize(signalingServer: server, config: Config(), options: options)

        print("signed in as \(try await controller.setupConnection())")
    }
}
