/// The `profile-level-id` of H.264: the allowed tools and the maximum size of a stream
/// ([RFC 6184, section 8.1](https://www.rfc-editor.org/rfc/rfc6184#section-8.1)).
///
/// It is three bytes of the sequence parameter set in six hexadecimal digits: `profile_idc`, `profile-iop` (the
/// constraint flags) and `level_idc`. Several combinations of the first two mean the same profile.
package struct H264ProfileLevel: Sendable, Hashable, CustomStringConvertible {
    package enum Profile: Sendable, Hashable, CaseIterable {
        case constrainedBaseline, baseline, main, extended, constrainedHigh, high, high10, high422, high444
    }

    /// A level. They are ordered by what they allow: 1, 1b, 1.1, …
    package struct Level: Sendable, Hashable, Comparable {
        /// Twice ten times the level number, so that 1b fits between 1 and 1.1.
        private let rank: UInt16

        /// - Parameter levelIDC: Ten times the level's number: 31 is level 3.1.
        package init(levelIDC: UInt8) {
            rank = 2 * UInt16(levelIDC)
        }

        private init(rank: UInt16) {
            self.rank = rank
        }

        /// Level 1b, which has no number of its own.
        package static let level1b = Level(rank: 21)

        var levelIDC: UInt8 { self == .level1b ? 11 : UInt8(truncatingIfNeeded: rank / 2) }

        package static func < (left: Level, right: Level) -> Bool { left.rank < right.rank }
    }

    package var profile: Profile
    package var level: Level

    /// The value for a description without `profile-level-id`: RFC 6184 says Baseline at level 1, but every
    /// implementation of WebRTC assumes constrained Baseline at level 3.1 (RFC 7742, section 6.2).
    package static let unspecified = H264ProfileLevel(.constrainedBaseline, Level(levelIDC: 31))

    package init(_ profile: Profile, _ level: Level) {
        self.profile = profile
        self.level = level
    }

    /// Reads six hexadecimal digits.
    ///
    /// - Returns: `nil` for anything else, and for a profile that is not in ``Profile``.
    package init?(_ text: String) {
        guard text.utf8.count == 6, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let number = UInt32(text, radix: 16)
        else { return nil }
        self.init(
            profileIDC: UInt8(number >> 16), constraints: UInt8(number >> 8 & 0xFF), levelIDC: UInt8(number & 0xFF))
    }

    /// Reads the three bytes as they stand in a sequence parameter set.
    package init?(profileIDC: UInt8, constraints: UInt8, levelIDC: UInt8) {
        guard
            let row = Self.profiles.first(where: {
                $0.profileIDC == profileIDC && constraints & $0.mask == $0.constraints
            })
        else { return nil }
        profile = row.profile
        // Constraint flag 3 turns level 1.1 into 1b for the three oldest profiles; the others use level 9.
        let isOld = profileIDC == 66 || profileIDC == 77 || profileIDC == 88
        let is1b = isOld ? levelIDC == 11 && constraints & 0x10 != 0 : levelIDC == 9
        level = is1b ? .level1b : Level(levelIDC: levelIDC)
    }

    /// Six hexadecimal digits, in the form that is most widely used for the profile.
    package var description: String {
        guard let row = Self.profiles.first(where: { $0.profile == profile }) else { return "" }
        let isOld = row.profileIDC == 66 || row.profileIDC == 77 || row.profileIDC == 88
        var constraints = row.written
        var levelIDC = level.levelIDC
        if level == .level1b {
            if isOld { constraints |= 0x10 } else { levelIDC = 9 }
        }
        return [row.profileIDC, constraints, levelIDC].map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }

    private struct Row {
        var profile: Profile
        var profileIDC: UInt8
        /// The mask and value of the constraint flags that identify the profile.
        var mask: UInt8
        var constraints: UInt8
        /// The constraint flags to write.
        var written: UInt8
    }

    /// The profiles (RFC 6184, table 5). The first row of a profile is used for writing.
    private static let profiles: [Row] = [
        Row(profile: .constrainedBaseline, profileIDC: 0x42, mask: 0x4F, constraints: 0x40, written: 0xE0),
        Row(profile: .constrainedBaseline, profileIDC: 0x4D, mask: 0x8F, constraints: 0x80, written: 0xE0),
        Row(profile: .constrainedBaseline, profileIDC: 0x58, mask: 0xCF, constraints: 0xC0, written: 0xE0),
        Row(profile: .baseline, profileIDC: 0x42, mask: 0x4F, constraints: 0x00, written: 0x00),
        Row(profile: .baseline, profileIDC: 0x58, mask: 0xCF, constraints: 0x80, written: 0x80),
        Row(profile: .main, profileIDC: 0x4D, mask: 0xAF, constraints: 0x00, written: 0x00),
        Row(profile: .extended, profileIDC: 0x58, mask: 0xCF, constraints: 0x00, written: 0x00),
        Row(profile: .constrainedHigh, profileIDC: 0x64, mask: 0xFF, constraints: 0x0C, written: 0x0C),
        Row(profile: .high, profileIDC: 0x64, mask: 0xFF, constraints: 0x00, written: 0x00),
        Row(profile: .high10, profileIDC: 0x6E, mask: 0xFF, constraints: 0x00, written: 0x00),
        Row(profile: .high422, profileIDC: 0x7A, mask: 0xFF, constraints: 0x00, written: 0x00),
        Row(profile: .high444, profileIDC: 0xF4, mask: 0xFF, constraints: 0x00, written: 0x00),
    ]
}
