#if os(Linux)
    import DuetShell
    import Foundation
    import RTCViews
    import RTCWebView

    /// Shows a page in a window, until that is closed.
    enum WebRun {
        @MainActor static func show(
            _ url: String, configuration: WebViewConfiguration, rules: CapturePermissions.Rules, isEphemeral: Bool,
            forgotten: [WebOrigin], onEvent: @escaping @Sendable (String) -> Void
        ) async throws {
            #if WebKitGTK
                let context = WebViewContext(
                    rules: rules, isEphemeral: isEphemeral, store: CapturePermissionFile.ofProgram,
                    devices: SystemDevices(refusesMissingDevices: false))
                for origin in forgotten { context.revoke(origin) }
                let (closed, continuation) = AsyncStream.makeStream(of: Void.self)
                do throws(ViewError) {
                    let view = try WebPageView(context: context, configuration: configuration)
                    var title = ""
                    view.page.onEvent = { [weak page = view.page] event in
                        if let line = WebEventLine.of(event) { onEvent(line) }
                        guard let page, page.title != title else { return }
                        title = page.title
                        onEvent(WebEventLine.title(title))
                    }
                    let window = try WebWindow(view, title: "duet")
                    window.onClose = { continuation.finish() }
                    view.page.open(url)
                    for await _ in closed {}
                    window.close()
                } catch {
                    throw Refusal.exit(error.message)
                }
            #else
                throw Refusal.exit("this duet was built without a web view (the trait WebKitGTK)")
            #endif
        }
    }
#endif
