/// The cameras that an app remembers between launches.
public struct CameraHistory: Sendable, Hashable {
    /// The cameras that the person chose, latest first.
    package private(set) var chosen: [DeviceID] = []
    /// The cameras that were used, latest first.
    package private(set) var streamed: [DeviceID] = []
    /// The position that the app recommends to people who have never chosen, set once at the first launch; `nil` means
    /// front.
    package private(set) var firstPosition: MediaDevice.Position?

    /// The maximum number of remembered cameras of each kind.
    package static let limit = 8

    public init() {}

    /// Records that the person chose a camera.
    package mutating func noteChoice(_ id: DeviceID) { Self.note(id, in: &chosen) }

    /// Records that a camera was used.
    package mutating func noteStreaming(_ id: DeviceID) { Self.note(id, in: &streamed) }

    /// Sets the position that the app recommends. Only the first call has an effect: later launches cannot override the
    /// person's choice.
    package mutating func setFirstPosition(_ position: MediaDevice.Position) {
        if firstPosition == nil { firstPosition = position }
    }

    private static func note(_ id: DeviceID, in list: inout [DeviceID]) {
        list.removeAll { $0 == id }
        list.insert(id, at: 0)
        if list.count > limit { list.removeLast() }
    }
}

extension CameraHistory {
    /// The longest identifier that is read, in bytes.
    private static let longestID = 4_000

    /// The history as text, one item per line: `chosen` or `streamed` with an identifier, `first` with a position.
    public var text: String {
        let lines =
            chosen.map { "chosen \(Self.escaped($0.rawValue))" }
            + streamed.map { "streamed \(Self.escaped($0.rawValue))" }
            + (firstPosition.map { ["first \($0.rawValue)"] } ?? [])
        return lines.map { $0 + "\n" }.joined()
    }

    /// Creates a history from ``text``. Invalid lines are ignored.
    public init(text: String) {
        // Split by bytes: a character may consist of a separator and a combining mark.
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

/// Stores an app's ``CameraHistory`` between launches.
public protocol CameraHistoryStore: Sendable {
    /// Returns the stored history; `nil` if there is none, or it cannot be read.
    func load() -> CameraHistory?
    /// Stores the history. Errors are ignored, since it is a convenience.
    func save(_ history: CameraHistory)
}
