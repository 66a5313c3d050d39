package import RTCWire

/// The user name fragment and password of one side for one ICE generation (RFC 8445, section 5.3).
package struct ICECredentials: Sendable, Hashable {
    /// 4 to 256 characters of ALPHA, DIGIT, "+" and "/".
    package var usernameFragment: String
    /// 22 to 256 characters of the same.
    package var password: String

    package init(usernameFragment: String, password: String) {
        self.usernameFragment = usernameFragment
        self.password = password
    }

    /// Fresh credentials: 48 random bits in the fragment and 144 in the password, more than what
    /// RFC 8839, section 5.4 demands (24 and 128).
    package static func random(from source: any RandomSource) -> ICECredentials {
        ICECredentials(
            usernameFragment: randomText(8, from: source), password: randomText(24, from: source))
    }

    /// Whether both have the length and the characters of RFC 8839, section 5.4.
    package var isWellFormed: Bool {
        let fragment = usernameFragment.utf8
        let secret = password.utf8
        return (4...256).contains(fragment.count) && (22...256).contains(secret.count)
            && fragment.allSatisfy(Self.isICECharacter) && secret.allSatisfy(Self.isICECharacter)
    }

    static func isICECharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }

    private static func randomText(_ count: Int, from source: any RandomSource) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        // 64 characters, so that six bits choose one without bias.
        return String(decoding: source.bytes(count).map { alphabet[Int($0 & 63)] }, as: UTF8.self)
    }
}
