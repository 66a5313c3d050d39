/// What an app remembers of cameras from one launch to the next.
public struct CameraHistory: Sendable, Hashable {
    /// Cameras that a person chose, the latest first.
    public private(set) var chosen: [DeviceID] = []
    /// Cameras that were used, the latest first.
    public private(set) var streamed: [DeviceID] = []
    /// Where the app wants to begin, said once at its first launch; until then the front is where it begins.
    public private(set) var firstPosition: MediaDevice.Position?

    /// As many of each are remembered.
    public static let limit = 8

    public init() {}

    /// A person has chosen a camera.
    public mutating func noteChoice(_ id: DeviceID) { Self.note(id, in: &chosen) }

    /// A camera has been used.
    public mutating func noteStreaming(_ id: DeviceID) { Self.note(id, in: &streamed) }

    /// Says where the app wants to begin. Only the first time counts: at later launches it says so in vain, and what the
    /// person has chosen since stays.
    public mutating func setFirstPosition(_ position: MediaDevice.Position) {
        if firstPosition == nil { firstPosition = position }
    }

    private static func note(_ id: DeviceID, in list: inout [DeviceID]) {
        list.removeAll { $0 == id }
        list.insert(id, at: 0)
        if list.count > limit { list.removeLast() }
    }
}

extension CameraHistory {
    /// In bytes. A longer one is in no file of ours.
    private static let longestID = 4_000

    /// One line for each thing: `chosen` or `streamed` with an identifier, `first` with a position.
    public var text: String {
        let lines =
            chosen.map { "chosen \(Self.escaped($0.rawValue))" }
            + streamed.map { "streamed \(Self.escaped($0.rawValue))" }
            + (firstPosition.map { ["first \($0.rawValue)"] } ?? [])
        return lines.map { $0 + "\n" }.joined()
    }

    /// What ``text`` was made of. Lines that mean nothing are left out.
    public init(text: String) {
        // By bytes: what a person sees as one character may begin with a space.
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
            guard parts.count == 2, parts[1].count <= Self.longestID else { continue }
            let value = String(decoding: parts[1], as: UTF8.self)
            let id = DeviceID(Self.unescaped(value))
            switch String(decoding: parts[0], as: UTF8.self) {
            case "chosen" where chosen.count < Self.limit && !chosen.contains(id): chosen.append(id)
            case "streamed" where streamed.count < Self.limit && !streamed.contains(id): streamed.append(id)
            case "first": firstPosition = firstPosition ?? MediaDevice.Position(rawValue: value)
            default: break
            }
        }
    }

    private static func escaped(_ id: String) -> String {
        id.unicodeScalars.reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            default: text.unicodeScalars.append(character)
            }
        }
    }

    private static func unescaped(_ text: String) -> String {
        var result = ""
        var isEscape = false
        for character in text.unicodeScalars {
            if isEscape {
                result.unicodeScalars.append(character == "n" ? "\n" : character == "r" ? "\r" : character)
                isEscape = false
            } else if character == "\\" {
                isEscape = true
            } else {
                result.unicodeScalars.append(character)
            }
        }
        return result
    }
}

/// Keeps an app's ``CameraHistory`` across restarts.
public protocol CameraHistoryStore: Sendable {
    /// What was kept last; `nil` if there is nothing, or it cannot be read.
    func load() -> CameraHistory?
    /// Keeps it. What cannot be kept is lost, and nothing else: it is a convenience.
    func save(_ history: CameraHistory)
}
