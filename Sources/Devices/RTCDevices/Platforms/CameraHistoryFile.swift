#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Stores a ``CameraHistory`` in a file.
///
/// The file is replaced atomically, so that it is never incomplete.
public struct CameraHistoryFile: CameraHistoryStore {
    package let path: String

    /// The most bytes that are read.
    private static let limit = 65_536

    public init(path: String) {
        self.path = path
    }

    /// Uses the standard place for such files: a folder with the app's name in `$XDG_STATE_HOME`, or in
    /// `~/.local/state`.
    ///
    /// - Returns: `nil` if there is no home directory, or the name cannot be the name of a folder.
    public init?(app: String) {
        guard !app.isEmpty, !app.contains("/"), app != ".", app != ".." else { return nil }
        func variable(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        guard let folder = variable("XDG_STATE_HOME") ?? variable("HOME").map({ $0 + "/.local/state" }) else {
            return nil
        }
        path = "\(folder)/\(app)/cameras"
    }

    public func load() -> CameraHistory? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.limit)
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes { read(file, $0.baseAddress.map { $0 + count }, $0.count - count) }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { break }
            count += more
        }
        return CameraHistory(text: String(decoding: bytes[..<count], as: UTF8.self))
    }

    public func save(_ history: CameraHistory) {
        makeFolders()
        let draft = "\(path).\(getpid())"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        let bytes = Array(history.text.utf8)
        var written = 0
        while written < bytes.count {
            let more = bytes.withUnsafeBytes { write(file, $0.baseAddress.map { $0 + written }, $0.count - written) }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { break }
            written += more
        }
        close(file)
        if written < bytes.count || rename(draft, path) != 0 { unlink(draft) }
    }

    private func makeFolders() {
        var end = path.startIndex
        while let slash = path[end...].dropFirst().firstIndex(of: "/") {
            mkdir(String(path[..<slash]), 0o700)
            end = slash
        }
    }
}
