import ArgumentParser
import Foundation
import RTCWebView

/// `duet web URL`: a page in a window, which may use camera and microphone.
struct WebCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web",
        abstract: "Show a web page that may use camera and microphone.",
        discussion: """
            The system is asked first whether camera and microphone may be used; if it refuses, a page says so instead. A page
            that wants them is then asked about once; the answer is remembered. Pages named by --allow are never asked about.
            Addresses of other programs (mailto:, tel:) are opened by these.
            """)

    @Argument(help: "The page, by https; http only on this machine, or with --allow-http.")
    var url: String

    @Option(
        name: .customLong("allow"),
        help: "An origin that need not ask, or all below one: https://*.example.com. Repeatable.")
    var allowed: [String] = []

    @Flag(help: "Keep no cookies, no cache and no answers.")
    var ephemeral = false

    @Flag(name: .customLong("allow-http"), help: "Let pages come unencrypted. They never get camera or microphone.")
    var allowsHTTP = false

    @Option(
        name: .customLong("forget"),
        help: "Forget what was answered for an origin, before the page is shown. Repeatable.")
    var forgotten: [String] = []

    @Flag(help: "Show the page also if the system refuses camera or microphone.")
    var anyway = false

    @Option(help: "How long a server may be silent, in seconds.")
    var timeout = 15.0

    @Flag(help: "Print what happens, a line each.")
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
