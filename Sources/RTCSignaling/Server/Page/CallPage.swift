extension StaticPage {
    /// The page with which a browser makes and takes calls. docs/call-page.md describes it.
    ///
    /// Its files stand in `Files` and are part of the program: the target names them as resources with
    /// `.embedInCode("Server/Page/Files")`, from which SwiftPM makes `PackageResources`.
    public static let call = StaticPage(
        files: [
            "/index.html": File(contentType: "text/html; charset=utf-8", body: PackageResources.index_html),
            "/call.css": File(contentType: "text/css; charset=utf-8", body: PackageResources.call_css),
            "/icon.svg": File(contentType: "image/svg+xml; charset=utf-8", body: PackageResources.icon_svg),
            "/call/call.js": script(PackageResources.call_js),
            "/call/call-view.js": script(PackageResources.call_view_js),
            "/call/chat.js": script(PackageResources.chat_js),
            "/call/devices-view.js": script(PackageResources.devices_view_js),
            "/call/link.js": script(PackageResources.link_js),
            "/call/lobby-view.js": script(PackageResources.lobby_view_js),
            "/call/main.js": script(PackageResources.main_js),
            "/call/media.js": script(PackageResources.media_js),
            "/call/people.js": script(PackageResources.people_js),
            "/call/phone.js": script(PackageResources.phone_js),
            "/call/ringtone.js": script(PackageResources.ringtone_js),
            "/call/settings.js": script(PackageResources.settings_js),
            "/call/signaling.js": script(PackageResources.signaling_js),
            "/call/statistics.js": script(PackageResources.statistics_js),
            "/call/view.js": script(PackageResources.view_js),
        ],
        headers: [
            // Only files of this server, nothing inline, nowhere else to connect to, in nobody's frame.
            (
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self' blob:; "
                    + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            ),
            ("Permissions-Policy", "camera=(self), microphone=(self)"),
            ("Referrer-Policy", "no-referrer"),
        ])

    private static func script(_ body: [UInt8]) -> File {
        File(contentType: "text/javascript; charset=utf-8", body: body)
    }
}
