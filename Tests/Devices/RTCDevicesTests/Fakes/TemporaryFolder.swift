#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A folder that goes with its last reference.
final class TemporaryFolder: Sendable {
    let path: String

    struct Failure: Error { let number: Int32 }

    init() throws {
        var template = Array("/tmp/duet-devices-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(number: errno) }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    func files(in folder: String) throws -> [String] { try Self.names(in: path + "/" + folder) }

    private static func names(in folder: String) throws -> [String] {
        guard let directory = opendir(folder) else { throw Failure(number: errno) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private static func remove(_ path: String) {
        for name in (try? names(in: path)) ?? [] { remove(path + "/" + name) }
        if rmdir(path) != 0 { unlink(path) }
    }
}
