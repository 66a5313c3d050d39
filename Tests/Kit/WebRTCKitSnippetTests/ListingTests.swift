import Foundation
import Testing

@Suite("The listings of the original WebRTCKit's README")
struct ListingTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    /// Lines without indentation, each space for any number of them.
    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
    }

    private static func swiftFiles(in folder: URL) throws -> [[String]] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" }
            .map { lines(of: try String(contentsOf: $0, encoding: .utf8)).filter { !$0.isEmpty } }
    }

    /// Whether a file has a listing, line for line. Where the listing has an empty line the file may have up to four more.
    private static func has(_ file: [String], _ listing: [String]) -> Bool {
        file.indices.contains { start in
            var (position, room) = (start, 0)
            for line in listing {
                if line.isEmpty {
                    room = 4
                    continue
                }
                while room > 0, position < file.count, file[position] != line {
                    position += 1
                    room -= 1
                }
                guard position < file.count, file[position] == line else { return false }
                position += 1
                room = 0
            }
            return true
        }
    }

    @Test("Each is compiled, word for word, here or for Apple's platforms")
    func listings() throws {
        let text = try String(contentsOf: Self.folder.appending(path: "Listings.txt"), encoding: .utf8)
        let listings = text.components(separatedBy: "\n=\n").dropFirst().map { Self.lines(of: $0) }
        #expect(listings.count == 24)
        let root = Self.folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let files =
            try Self.swiftFiles(in: Self.folder)
            + Self.swiftFiles(in: root.appending(path: "Scripts/AppleSnippets"))
        for listing in listings {
            #expect(
                files.contains { Self.has($0, listing) }, "this is not compiled: \(listing.joined(separator: "\n"))")
        }
        // A word that is another is noticed.
        #expect(!files.contains { Self.has($0, ["try await webRTCController.startRecordings()"]) })
    }
}
