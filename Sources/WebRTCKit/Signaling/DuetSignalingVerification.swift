#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A step of the comparison of verification codes, as the server's `signal` carries it: `{"step": …, "value": …}`.
struct VerificationData: Codable {
    /// As members of the wrong kind have it: no step that there is.
    private var step: String?
    private var value: String?

    init(step: String, value: [UInt8]) {
        self.step = step
        self.value = Data(value).base64EncodedString()
    }

    private enum Key: CodingKey {
        case step, value
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Key.self)
        step = try? members.decodeIfPresent(String.self, forKey: .step)
        value = try? members.decodeIfPresent(String.self, forKey: .value)
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        try members.encodeIfPresent(step, forKey: .step)
        try members.encodeIfPresent(value, forKey: .value)
    }

    func json() -> [UInt8] { Self.json(self) }

    /// The kit's signal with this step. What cannot be read becomes a signal that cannot be read either: it makes the
    /// verification fail.
    static func signal(call: String, data: [UInt8]) -> [UInt8] {
        let known = try? JSONDecoder().decode(VerificationData.self, from: Data(data))
        return json(
            Members(
                call: call, kind: DuetSignalingCalls.verification, step: known?.step ?? "", value: known?.value ?? ""))
    }

    private struct Members: Encodable {
        var call: String
        var kind: String
        var step: String
        var value: String
    }

    private static func json(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts alone can always be encoded.
        return (try? encoder.encode(value)).map { Array($0) } ?? []
    }
}
