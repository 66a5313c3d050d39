import ArgumentParser
import Foundation
import RTCWebView

/// `duet web URL`: a page in a window, which may use camera and microphone.
struct WebCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web",
        abstract: "Show a web page that may use camera and microphone.",
        discussion: """
            First, the system's permission for camera and microphone is requested; if it is denied, a page says so. When a page \
            requests them, you are asked once per origin, and the answer is remembered; not for origins given with --allow. \
            URLs of other programs (mailto:, tel:) are opened by these. Linux only.
            """)

    @Argument(help: "The URL: https; http only on this machine, or with --allow-http.")
    var url: String

    @Option(
        name: .customLong("allow"),
        help: "Grant an origin without asking, or all below one: https://*.example.com. May be repeated.")
    var allowed: [String] = []

    @Flag(help: "Keep no cookies, no cache and no answers.")
    var ephemeral = false

    @Flag(name: .customLong("allow-http"), help: "Allow unencrypted pages. They never get camera or microphone.")
    var allowsHTTP = false

    @Option(
        name: .customLong("forget"),
        help: "Forget the answer for an origin, before the page is shown. May be repeated.")
    var forgotten: [String] = []

    @Flag(help: "Show the page also if the system refuses camera or microphone.")
    var anyway = false

    @Option(help: "How long a server may be silent, in seconds.")
    var timeout = 15.0

    @Flag(help: "Print events, one per line.")
    var verbose = false

    func validate() throws {
        for origin in allowed {
            var list = OriginList()
            guard list.insert(origin) else {
                throw ValidationError("--allow \(origin) is no origin like https://example.com")
            }
        }
        for origin in forgotten where WebOrigin(origin) == nil {
            throw ValidationError("--forget \(origin) is no origin like https://example.com")
        }
        guard let origin = WebOrigin(url) else {
            throw ValidationError("\(url) is no address of a web page: https://…")
        }
        guard allowsHTTP || origin.isPotentiallyTrustworthy else {
            throw ValidationError("\(url) would come unencrypted: use https, or --allow-http if that is all there is")
        }
        guard timeout > 0, timeout <= 3_600 else { throw ValidationError("--timeout is between 0 and 3600 seconds") }
    }

    func run() async throws {
        var configuration = WebViewConfiguration()
        configuration.timeout = timeout
        configuration.loadsAfterRefusal = anyway
        configuration.navigation.isHTTPSOnly = !allowsHTTP
        let isVerbose = verbose
        // Unbuffered, also for a reader at a pipe.
        let say: @Sendable (String) -> Void = { line in
            if isVerbose { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
        }
        try await WebRun.show(
            url, configuration: configuration, rules: .init(trusted: OriginList(allowed)), isEphemeral: ephemeral,
            forgotten: forgotten.compactMap { WebOrigin($0) }, onEvent: say)
    }
}
