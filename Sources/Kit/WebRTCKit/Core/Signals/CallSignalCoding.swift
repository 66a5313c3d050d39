internal import RTCPeer
internal import RTCWire

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension CallSignal {
    /// Parses a signal. Unknown members are ignored.
    ///
    /// - Parameter bytes: A JSON object in UTF-8, at most ``maximumSize`` bytes.
    init(decoding bytes: [UInt8]) throws(CallSignalError) {
        self = try CallJSON.decode(DecodedSignal.self, from: bytes, limit: Self.maximumSize).signal
    }

    /// The signal as JSON in UTF-8, with sorted members: the same signal gives the same bytes.
    func encoded() -> [UInt8] {
        var members = SignalMembers(call: call.rawValue, kind: content.kind)
        switch content {
        case .invite(let sdp, let media):
            members.sdp = sdp
            members.media = media.map(\.rawValue)
        case .answer(let sdp):
            members.sdp = sdp
        case .reject(let reason), .cancel(let reason), .hangUp(let reason):
            members.reason = reason.rawValue
        case .negotiate(let description):
            members.type = description.type.rawValue
            members.sdp = description.sdp
        case .verify(let message):
            members.step = message.step.rawValue
            members.value = message.base64Value
        case .ringing, .busy, .noAnswer, .unavailable: break
        }
        return CallJSON.encode(members)
    }
}

extension CallCandidate {
    /// Parses a candidate. Unknown members are ignored.
    ///
    /// - Parameter bytes: A JSON object in UTF-8, at most ``maximumSize`` bytes.
    init(decoding bytes: [UInt8]) throws(CallSignalError) {
        self = try CallJSON.decode(DecodedCandidate.self, from: bytes, limit: Self.maximumSize).candidate
    }

    /// The candidate as JSON in UTF-8, with sorted members.
    func encoded() -> [UInt8] {
        CallJSON.encode(
            CandidateMembers(
                call: call.rawValue, candidate: candidate.candidate, sdpMid: candidate.sdpMid,
                sdpMLineIndex: candidate.sdpMLineIndex, usernameFragment: candidate.usernameFragment))
    }
}

extension CallSignal.Content {
    /// The member `kind`.
    var kind: String {
        switch self {
        case .invite: "invite"
        case .ringing: "ringing"
        case .answer: "answer"
        case .reject: "reject"
        case .busy: "busy"
        case .cancel: "cancel"
        case .hangUp: "hangUp"
        case .negotiate: "negotiate"
        case .verify: "verify"
        case .noAnswer: "noAnswer"
        case .unavailable: "unavailable"
        }
    }
}

// MARK: - Writing

/// The members of signals; those that are `nil` are left out.
struct SignalMembers: Encodable {
    var call: String
    var kind: String
    var sdp: String?
    var media: [String]?
    var reason: String?
    var type: String?
    var step: String?
    var value: String?
}

private struct CandidateMembers: Encodable {
    var call: String
    var candidate: String
    var sdpMid: String?
    var sdpMLineIndex: Int?
    var usernameFragment: String?
}

extension VerificationMessage {
    /// The verification checks the exact length; no digest is longer than this.
    init?(step name: String?, base64: String?) {
        guard let step = name.flatMap({ Step(rawValue: $0) }), let value = base64.flatMap({ Base64.decode($0) }),
            (1...64).contains(value.count)
        else { return nil }
        self.init(step: step, value: value)
    }

    var base64Value: String { Base64.encode(value) }
}

// MARK: - Reading

private enum Member: String, CodingKey {
    case call, kind, sdp, media, reason, type, step, value
    case candidate, sdpMid, sdpMLineIndex, usernameFragment
}

private struct DecodedSignal: Decodable {
    let signal: CallSignal

    init(from decoder: any Decoder) throws {
        let members = try decoder.members()
        let call = try members.call()
        let content: CallSignal.Content
        if try members.text(.kind) == "verify" {
            guard let message = members.verification() else { throw CallSignalError.badVerification(call) }
            content = .verify(message)
        } else {
            content = try Self.content(of: members)
        }
        signal = CallSignal(call: call, content)
    }

    private static func content(of members: KeyedDecodingContainer<Member>) throws(CallSignalError)
        -> CallSignal.Content
    {
        switch try members.text(.kind) {
        case "invite": return .invite(sdp: try members.sdp(), media: members.media())
        case "ringing": return .ringing
        case "answer": return .answer(sdp: try members.sdp())
        case "reject": return .reject(members.reason())
        case "busy": return .busy
        case "cancel": return .cancel(members.reason())
        case "hangUp": return .hangUp(members.reason())
        case "negotiate":
            switch try members.text(.type) {
            case "offer": return .negotiate(SessionDescription(type: .offer, sdp: try members.sdp()))
            case "answer": return .negotiate(SessionDescription(type: .answer, sdp: try members.sdp()))
            default: throw .invalid("type")
            }
        case "noAnswer": return .noAnswer
        case "unavailable": return .unavailable
        default: throw .unknownKind
        }
    }
}

private struct DecodedCandidate: Decodable {
    let candidate: CallCandidate

    init(from decoder: any Decoder) throws {
        let members = try decoder.members()
        let index = try members.optional(Int.self, .sdpMLineIndex)
        guard index.map({ (0...65_535).contains($0) }) ?? true else { throw CallSignalError.invalid("sdpMLineIndex") }
        candidate = CallCandidate(
            call: try members.call(),
            ICECandidateInit(
                candidate: try members.text(.candidate), sdpMid: try members.optional(String.self, .sdpMid),
                sdpMLineIndex: index, usernameFragment: try members.optional(String.self, .usernameFragment)))
    }
}

extension Decoder {
    fileprivate func members() throws(CallSignalError) -> KeyedDecodingContainer<Member> {
        do { return try container(keyedBy: Member.self) } catch { throw .notAnObject }
    }
}

extension KeyedDecodingContainer where Key == Member {
    fileprivate func text(_ member: Member) throws(CallSignalError) -> String {
        guard let text = try optional(String.self, member) else { throw .missing(member.rawValue) }
        return text
    }

    /// Decodes a member; `null` counts as missing.
    fileprivate func optional<Value: Decodable>(
        _ type: Value.Type, _ member: Member
    ) throws(CallSignalError) -> Value? {
        do { return try decodeIfPresent(type, forKey: member) } catch { throw .invalid(member.rawValue) }
    }

    fileprivate func call() throws(CallSignalError) -> CallIdentifier {
        guard let call = CallIdentifier(rawValue: try text(.call)) else { throw .invalid("call") }
        return call
    }

    fileprivate func sdp() throws(CallSignalError) -> String {
        let sdp = try text(.sdp)
        guard !sdp.isEmpty else { throw .invalid("sdp") }
        return sdp
    }

    /// Decodes the announced media without unknown kinds: they are only displayed, so they do not make an invitation invalid.
    fileprivate func media() -> [CallMedia] {
        let names = (try? decodeIfPresent([String].self, forKey: .media)) ?? []
        return CallMedia.allCases.filter { names.contains($0.rawValue) }
    }

    fileprivate func verification() -> VerificationMessage? {
        VerificationMessage(step: try? text(.step), base64: try? text(.value))
    }

    fileprivate func reason() -> CallEndReason {
        let name = try? decodeIfPresent(String.self, forKey: .reason)
        return name.flatMap { CallEndReason(rawValue: $0) } ?? .normal
    }
}

// MARK: - JSON

/// The JSON coding of kits: sorted members, limited depth.
enum CallJSON {
    static func decode<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8], limit: Int
    ) throws(CallSignalError) -> Value {
        guard bytes.count <= limit else { throw .tooLarge }
        // Foundation would accept 512 levels, and ignore invalid UTF-8 in unread members.
        guard JSONShape.isWithinLimits(bytes, count: .max), String(validating: bytes, as: UTF8.self) != nil else {
            throw .notAnObject
        }
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch {
            throw error as? CallSignalError ?? .notAnObject
        }
    }

    static func encode(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value))
        } catch {
            // Only numbers that JSON cannot represent (infinity, NaN) fail.
            assertionFailure("\(error)")
            return []
        }
    }
}
