#if os(Linux) && WebKitGTK
    import CWebKit
    import Foundation
    import Glibc
    import RTCViews

    /// WebKitGTK's part of a ``WebViewContext``: one web context, one network session, one set of settings.
    @MainActor
    final class WebKitContext {
        let library: WebKitLibrary
        let context: WebKitObject
        let session: WebKitObject
        let settings: WebKitObject
        private let wanted: WebViewSettings
        private var settingsOfSignIn: WebKitObject?

        /// The part of a context, created when first needed.
        static func of(_ context: WebViewContext) throws(ViewError) -> WebKitContext {
            if let made = context.platform as? WebKitContext { return made }
            let made = try WebKitContext(context)
            context.platform = made
            return made
        }

        private init(_ shared: WebViewContext) throws(ViewError) {
            library = try WebKitLibrary.open()
            // TLS 1.0 and 1.1 must not be used (RFC 8996), and GnuTLS would use them. The network process inherits this.
            setenv("G_TLS_GNUTLS_PRIORITY", Self.priority, 0)
            let functions = library.functions.pointee
            let folders = Self.folders()
            guard let context = functions.webkit_web_context_new(),
                let session = shared.isEphemeral
                    ? functions.webkit_network_session_new_ephemeral()
                    : functions.webkit_network_session_new(folders.data, folders.cache)
            else { throw ViewError(.failed, "WebKitGTK made no session") }
            self.context = WebKitObject(taking: context, library)
            self.session = WebKitObject(taking: session, library)
            wanted = shared.settings
            settings = try Self.settings(wanted, library, opensWindows: false)
            library.connect(session, "download-started", to: self, Self.downloadStarted)
        }

        /// The settings for a sign-in, whose scripts may open windows without a click: WebKitGTK would block them without a
        /// report.
        func settingsAllowingWindows() throws(ViewError) -> WebKitObject {
            if let settingsOfSignIn { return settingsOfSignIn }
            let made = try Self.settings(wanted, library, opensWindows: true)
            settingsOfSignIn = made
            return made
        }

        private static func settings(
            _ wanted: WebViewSettings, _ library: WebKitLibrary, opensWindows: Bool
        ) throws(ViewError) -> WebKitObject {
            let functions = library.functions.pointee
            guard let settings = functions.webkit_settings_new() else {
                throw ViewError(.failed, "WebKitGTK made no settings")
            }
            functions.webkit_settings_set_enable_media_stream(settings, 1)
            functions.webkit_settings_set_enable_webrtc(settings, 1)
            functions.webkit_settings_set_javascript_can_open_windows_automatically(settings, opensWindows ? 1 : 0)
            functions.webkit_settings_set_allow_modal_dialogs(settings, 0)
            functions.webkit_settings_set_enable_mock_capture_devices(settings, WebKitTesting.usesMockDevices ? 1 : 0)
            wanted.apply(to: SettableObject(settings: settings, functions: functions))
            return WebKitObject(taking: settings, library)
        }

        /// WEBKIT_AUTOPLAY_ALLOW, or _DENY. WebKitGTK's default allows only muted media.
        var autoplay: UInt32 { wanted.requiresUserActionForMediaPlayback ? 2 : 0 }

        /// Clears the memory cache, which WebKitGTK uses without revalidation, whatever a request says; the disk cache is
        /// revalidated. Going back loads a page again afterwards.
        func clearMemoryCache() {
            let functions = library.functions.pointee
            guard let manager = functions.webkit_network_session_get_website_data_manager(session.pointer) else {
                return
            }
            // WEBKIT_WEBSITE_DATA_MEMORY_CACHE
            functions.webkit_website_data_manager_clear(manager, 1, 0, nil, nil, nil)
        }

        /// WebKitGTK's settings, which lack some of WebKit's.
        private struct SettableObject: WebViewSettable {
            let settings: OpaquePointer
            let functions: CWebKitLibrary

            func setIncrementalRendering(isSuppressed: Bool) {}
            func setDataDetection(isOn: Bool) {}
            /// Done by ``NavigationPolicy/appBoundOrigins``.
            func setAppBoundDomains(areLimits: Bool) {}

            func setInlinePlayback(isAllowed: Bool) {
                functions.webkit_settings_set_media_playback_allows_inline(settings, isAllowed ? 1 : 0)
            }

            func setUserAction(isRequired: Bool) {
                functions.webkit_settings_set_media_playback_requires_user_gesture(settings, isRequired ? 1 : 0)
            }
        }

        /// GLib's default ciphers, without the old versions of TLS.
        private static let priority = "NORMAL:%COMPAT:-VERS-TLS1.0:-VERS-TLS1.1:-VERS-DTLS1.0"

        /// The folders for cookies and caches of this program, by the XDG base directory specification.
        private static func folders() -> (data: String, cache: String) {
            let environment = ProcessInfo.processInfo.environment
            let home = environment["HOME"] ?? NSHomeDirectory()
            let name = ProcessInfo.processInfo.processName + "/web-view"
            func folder(_ variable: String, _ fallback: String) -> String {
                let value = environment[variable] ?? ""
                return (value.hasPrefix("/") ? value : home + "/" + fallback) + "/" + name
            }
            return (folder("XDG_DATA_HOME", ".local/share"), folder("XDG_CACHE_HOME", ".cache"))
        }

        // MARK: Downloads

        private static let downloadStarted:
            @MainActor @convention(c) (OpaquePointer, OpaquePointer, UnsafeMutableRawPointer?) -> Void = {
                _, download, data in
                guard let context = WebKitLibrary.target(data, WebKitContext.self) else { return }
                context.library.connect(download, "decide-destination", to: context, decideDestination)
                context.library.connect(download, "failed", to: context, downloadFailed)
                context.library.connect(download, "finished", to: context, downloadFinished)
            }

        private static let downloadFailed:
            @MainActor @convention(c) (OpaquePointer, OpaquePointer, UnsafeMutableRawPointer?) -> Void = {
                download, error, data in
                guard let context = WebKitLibrary.target(data, WebKitContext.self) else { return }
                context.page(of: download)?.downloadEnded(
                    UnsafeMutableRawPointer(download), failure: String(cString: cwebkit_error_message(error)))
            }

        /// Emitted after a failure as well.
        private static let downloadFinished:
            @MainActor @convention(c) (OpaquePointer, UnsafeMutableRawPointer?) -> Void = { download, data in
                guard let context = WebKitLibrary.target(data, WebKitContext.self) else { return }
                context.page(of: download)?.downloadEnded(UnsafeMutableRawPointer(download))
            }

        private func page(of download: OpaquePointer) -> WebViewPage? {
            library.functions.pointee.webkit_download_get_web_view(download).flatMap { WebPageView.of($0)?.page }
        }

        private static let decideDestination:
            @MainActor @convention(c) (OpaquePointer, UnsafePointer<CChar>?, UnsafeMutableRawPointer?) -> Int32 = {
                download, name, data in
                guard let context = WebKitLibrary.target(data, WebKitContext.self) else { return 0 }
                let functions = context.library.functions.pointee
                let url =
                    functions.webkit_download_get_request(download)
                    .flatMap { functions.webkit_uri_request_get_uri($0) }.map { String(cString: $0) } ?? ""
                if let path = context.page(of: download)?.decideDownload(
                    UnsafeMutableRawPointer(download), url: url, suggestedName: name.map { String(cString: $0) } ?? "")
                {
                    functions.webkit_download_set_destination(download, path)
                } else {
                    functions.webkit_download_cancel(download)
                }
                return 1
            }
    }

    /// Settings of WebKitGTK for tests.
    @MainActor
    package enum WebKitTesting {
        /// Whether contexts created from now on use WebKit's mock cameras and microphones.
        package static var usesMockDevices = false
    }
#endif
