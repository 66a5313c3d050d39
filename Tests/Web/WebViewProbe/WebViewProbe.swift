import Foundation
import RTCViews

#if WebKitGTK
    @testable import RTCWebView

    /// What tests of the web view run in a process of its own, since a window needs a program's first thread. It takes one command a
    /// line, and prints one line of JSON for each thing that happens.
    ///
    ///     WebViewProbe [--trust ORIGIN]… [--frames] [--https-only] [--bound ORIGIN]… [--app SCHEME]… [--timeout SECONDS]
    ///                  [--refuse microphone|camera] [--anyway] [--certificate HOST FINGERPRINT] [--downloads FOLDER]
    ///                  [--permissions FILE] [--keep] [--task] [--outside PREFIX]… [--calls ORIGIN]…
    ///                  [--person NAME PASSWORD] [--proof FILE.p12 PASSWORD] [--no-inline] [--user-action] [--sign-in]
    @main
    enum WebViewProbe {
        @MainActor static func main() {
            do {
                try MainLoop.run { try await run() }
            } catch {
                say(["event": "error", "message": "\(error)"])
                exit(1)
            }
        }

        @MainActor private static func run() async throws {
            let options = ProbeOptions(CommandLine.arguments.dropFirst())
            WebKitTesting.usesMockDevices = true
            var settings = WebViewSettings()
            settings.allowsInlineMediaPlayback = !options.has("--no-inline")
            settings.requiresUserActionForMediaPlayback = options.has("--user-action")
            let context = WebViewContext(
                settings: settings,
                rules: .init(trusted: OriginList(options.all("--trust")), allowsForeignFrames: options.has("--frames")),
                isEphemeral: !options.has("--keep"),
                store: options.first("--permissions").map { CapturePermissionFile(URL(fileURLWithPath: $0)) },
                devices: ProbeDevices(refused: options.all("--refuse").compactMap(CaptureKind.init(rawValue:))))
            let probe = try ProbeWindow(context, options)
            say(["event": "open"])
            for await line in ProbeInput.lines {
                guard try await probe.perform(line) else { break }
            }
            probe.close()
        }

        /// At once, for whoever reads it from a pipe.
        static func say(_ fields: [String: Any]) {
            guard let data = try? JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys]) else { return }
            FileHandle.standardOutput.write(data + Data("\n".utf8))
        }
    }

    /// What the system says in the tests, and how often it was asked.
    final class ProbeDevices: DeviceAuthorizing {
        private let refused: [CaptureKind]

        init(refused: [CaptureKind]) { self.refused = refused }

        func authorization(for kind: CaptureKind) -> CaptureAuthorizationStatus {
            refused.contains(kind) ? .denied : .authorized
        }

        func requestAuthorization(for kind: CaptureKind) async -> CaptureAuthorizationStatus {
            authorization(for: kind)
        }
    }

    struct ProbeOptions {
        private let arguments: [String]

        init(_ arguments: ArraySlice<String>) { self.arguments = Array(arguments) }

        func has(_ name: String) -> Bool { arguments.contains(name) }
        func first(_ name: String) -> String? { all(name).first }

        func all(_ name: String, count: Int = 1) -> [String] {
            arguments.indices.filter { arguments[$0] == name && $0 + count < arguments.count }
                .flatMap { arguments[($0 + 1)...($0 + count)] }
        }
    }

    /// The lines of standard input, from a thread that may block.
    enum ProbeInput {
        static var lines: AsyncStream<String> {
            let (stream, continuation) = AsyncStream.makeStream(of: String.self)
            Thread.detachNewThread {
                while let line = readLine() { continuation.yield(line) }
                continuation.finish()
            }
            return stream
        }
    }
#else
    /// Without the trait there is no web view to probe.
    @main
    enum WebViewProbe {
        static func main() {
            print(#"{"event": "error", "message": "built without the trait WebKitGTK"}"#)
        }
    }
#endif
