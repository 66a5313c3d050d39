public import Foundation
internal import OAuth

/// Stores the person's answers in a JSON file that only its owner may read. A file that cannot be read, or that another
/// user of the machine has written, counts as empty.
public struct CapturePermissionFile: CapturePermissionStore {
    private let url: URL

    /// Creates a store.
    ///
    /// - Parameter url: The URL of the file, whose folder is created if necessary.
    public init(_ url: URL) {
        self.url = url
    }

    /// The default file of this program.
    public static var ofProgram: CapturePermissionFile {
        let folder =
            (try? FileManager.default.url(
                for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: false))
            ?? URL(filePath: NSHomeDirectory(), directoryHint: .isDirectory)
        let name = ProcessInfo.processInfo.processName
        return CapturePermissionFile(folder.appending(components: name, "capture-permissions.json"))
    }

    public func load() -> [CapturePermissions.Entry] {
        let path = url.path(percentEncoded: false)
        let owner = (try? FileManager.default.attributesOfItem(atPath: path))?[.ownerAccountID] as? NSNumber
        guard owner.map({ $0.uint32Value == getuid() }) ?? true, let data = try? Data(contentsOf: url),
            data.count < 4_000_000
        else { return [] }
        return (try? JSONDecoder().decode([CapturePermissions.Entry].self, from: data)) ?? []
    }

    public func save(_ entries: [CapturePermissions.Entry]) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        guard let data = try? encoder.encode(entries) else { return }
        try? FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        // A person is asked again about what cannot be stored.
        _ = PrivateFile.replace(url.path(percentEncoded: false), with: Array(data))
    }
}
