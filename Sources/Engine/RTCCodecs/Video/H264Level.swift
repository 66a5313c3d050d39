/// The parameters `profile-level-id` and `packetization-mode` of an H.264 stream (RFC 6184, section 8.1).
struct H264Parameters {
    /// `level_idc`, such as 31 for level 3.1.
    var level = 31
    /// The packetization mode; in mode 0, each NAL unit must fit into a packet.
    var packetizationMode = 0

    init(_ parameters: FormatParameters) {
        if let text = parameters["profile-level-id"], text.utf8.count == 6, let value = UInt32(text, radix: 16) {
            // Level 1b is written as 11 with constraint_set3_flag, and allows no larger frames than level 1.
            let isLevel1b = value & 0xFF == 11 && value >> 8 & 0x10 != 0
            level = isLevel1b ? 10 : Int(value & 0xFF)
        } else if parameters["profile-level-id"] == nil, !parameters.isEmpty {
            level = 10  // the default without the parameter
        }
        packetizationMode = parameters["packetization-mode"].flatMap { Int($0) } ?? 0
    }

    /// MaxFS in table A-1 of ITU-T H.264, in macroblocks.
    var maxMacroblocks: Int {
        switch level {
        case ..<11: 99
        case 11...20: 396
        case 21: 792
        case 22...30: 1_620
        case 31: 3_600
        case 32: 5_120
        case 40, 41: 8_192
        case 42: 8_704
        case 50: 22_080
        default: 36_864
        }
    }
}

/// The contents of `a=fmtp`: `name=value`, separated by semicolons.
struct FormatParameters {
    private var values: [String: String] = [:]

    init(_ text: String) {
        for parameter in text.split(separator: ";") {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            let name = parts[0].drop { $0 == " " }.lowercased()
            let value = parts[1].drop { $0 == " " }
            values[name] = String(value.prefix { $0 != " " })
        }
    }

    var isEmpty: Bool { values.isEmpty }

    /// The value for `name`, in lower case.
    subscript(name: String) -> String? { values[name] }
}
