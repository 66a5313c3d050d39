internal import CCallPage

extension StaticPage {
    /// The call page, with which a browser makes and receives calls: see docs/call-page.md.
    ///
    /// Its files are in `CCallPage`, and are part of the program.
    public static let call = StaticPage(
        files: files(),
        headers: [
            // Only files of this server, nothing inline, no other connections, no embedding in frames.
            (
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self' blob:; "
                    + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
            ),
            // A page that opened this one may not set its fragment, which has the token.
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Permissions-Policy", "camera=(self), microphone=(self)"),
            ("Referrer-Policy", "no-referrer"),
        ])

    private static func files() -> [String: File] {
        let files = UnsafeBufferPointer(start: ccallpage_files, count: ccallpage_count).map { file in
            let path = String(cString: file.path)
            let body = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
            return (path, File(contentType: contentType(of: path), body: body))
        }
        return Dictionary(uniqueKeysWithValues: files)
    }

    private static func contentType(of path: String) -> String {
        let type =
            switch path.split(separator: ".").last {
            case "html": "text/html"
            case "css": "text/css"
            case "svg": "image/svg+xml"
            default: "text/javascript"
            }
        return type + "; charset=utf-8"
    }
}
