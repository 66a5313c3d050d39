/// The files that a ``SignalingServer`` serves to browsers.
public struct StaticPage: Sendable {
    public struct File: Sendable {
        /// The content type, such as `text/html; charset=utf-8`.
        package var contentType: String
        package var body: [UInt8]

        public init(contentType: String, body: [UInt8]) {
            self.contentType = contentType
            self.body = body
        }

        public init(contentType: String, text: String) {
            self.init(contentType: contentType, body: Array(text.utf8))
        }
    }

    /// The files by their path, such as `/call.js`. `/` stands for `/index.html`.
    package var files: [String: File]
    /// Header fields of all files, such as a content security policy.
    package var headers: [(name: String, value: String)]

    public init(files: [String: File], headers: [(name: String, value: String)] = []) {
        self.files = files
        self.headers = headers
    }

    /// No files.
    public static let none = StaticPage(files: [:])

    /// - Parameter target: The target of a request: a path with an optional query.
    func file(for target: String) -> File? { files[Self.path(of: target)] }

    static func path(of target: String) -> String {
        let path = String(target.prefix { $0 != "?" && $0 != "#" })
        return path == "/" ? "/index.html" : path
    }
}
