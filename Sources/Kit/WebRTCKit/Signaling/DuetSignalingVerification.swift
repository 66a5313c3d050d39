/// A verification message in the server's `signal`: `{"step": …, "value": …}`.
struct VerificationData: Codable {
    /// `nil` if the member has the wrong type.
    private var step: String?
    private var value: String?

    init(_ message: VerificationMessage) {
        step = message.step.rawValue
        value = message.base64Value
    }

    private enum CodingKeys: CodingKey {
        case step, value
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        step = try? members.decodeIfPresent(String.self, forKey: .step)
        value = try? members.decodeIfPresent(String.self, forKey: .value)
    }

    func json() -> [UInt8] { CallJSON.encode(self) }

    /// The message; `nil` if it cannot be parsed.
    static func message(_ data: [UInt8]) -> VerificationMessage? {
        let known = try? CallJSON.decode(VerificationData.self, from: data, limit: CallSignal.maximumSize / 2)
        return VerificationMessage(step: known?.step, base64: known?.value)
    }

    /// The kit's signal with this message. Invalid data becomes an invalid signal, which makes the verification fail.
    static func signal(call: String, data: [UInt8]) -> [UInt8] {
        let known = try? CallJSON.decode(VerificationData.self, from: data, limit: CallSignal.maximumSize / 2)
        var members = SignalMembers(call: call, kind: DuetSignalingCalls.verification)
        members.step = known?.step ?? ""
        members.value = known?.value ?? ""
        return CallJSON.encode(members)
    }
}
