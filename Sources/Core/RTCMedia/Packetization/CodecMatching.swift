// Codec matching between two descriptions, and codecs in answers (RFC 3264, section 6.1; the offer/answer sections of
// the payload formats: RFC 6184, 8.2.2; RFC 7587, 7.1; RFC 7741, 6.2.2; RFC 9628, 7.2).

extension RTPCodec {
    /// Whether this codec, of one description, and `other`, of another, can share a payload type in an answer.
    ///
    /// Names are compared case-insensitively, then clock rate and channels. The parameters that distinguish formats
    /// must be equal too: for H.264 the packetization mode and the profile (levels may differ: the answer chooses one),
    /// for VP9 the profile. All other `a=fmtp` parameters are preferences of one side, and never prevent a match. A
    /// codec without a payload format in the engine, such as `rtx` or `red`, matches by name, rate and channels.
    package func matches(_ other: RTPCodec) -> Bool {
        guard kind == other.kind, clockRate == other.clockRate, name.lowercased() == other.name.lowercased() else {
            return false
        }
        switch format {
        // The channels of Opus are always written as 2 and carry no information (RFC 7587, section 7).
        case .opus: return true
        case .pcmu, .pcma, nil: return channels == other.channels
        case .vp8: return true
        case .vp9:
            let mine = FormatParameters(formatParameters), theirs = FormatParameters(other.formatParameters)
            return mine.vp9Profile != nil && mine.vp9Profile == theirs.vp9Profile
        case .h264:
            let mine = FormatParameters(formatParameters), theirs = FormatParameters(other.formatParameters)
            guard mine.packetizationMode == theirs.packetizationMode else { return false }
            guard let mine = mine.profileLevel, let theirs = theirs.profileLevel else { return false }
            return mine.profile == theirs.profile
        }
    }

    /// Returns the codec for an answer to `offered`, which this codec, ours, ``matches(_:)``.
    ///
    /// The parameters are ours, since nearly all of them describe what their sender can receive. H.264 is the
    /// exception: its `profile-level-id` is ours only if both sides allow different levels, and otherwise the lower of
    /// the two (RFC 6184, section 8.2.2). The feedback is ours without types that were not offered (RFC 4585, section
    /// 4.2).
    package func answer(to offered: RTPCodec) -> RTPCodec {
        var answer = self
        answer.feedback = feedback.filter { mine in
            offered.feedback.contains { $0.lowercased() == mine.lowercased() }
        }
        guard format == .h264 else { return answer }

        var mine = FormatParameters(formatParameters)
        let theirs = FormatParameters(offered.formatParameters)
        guard let myLevel = mine.profileLevel, let theirLevel = theirs.profileLevel else { return answer }
        let mayDiffer = mine.flag("level-asymmetry-allowed") && theirs.flag("level-asymmetry-allowed")
        if !mayDiffer {
            mine["level-asymmetry-allowed"] = nil
            mine["profile-level-id"] =
                theirLevel.level <= myLevel.level
                // Verbatim, because some peers compare it as text.
                ? theirs["profile-level-id"] ?? theirLevel.description
                : H264ProfileLevel(theirLevel.profile, myLevel.level).description
        }
        answer.formatParameters = mine.description
        return answer
    }
}

extension FormatParameters {
    /// The packetization of H.264's NAL units: 0 if not specified (RFC 6184, section 8.1).
    package var packetizationMode: Int {
        guard let text = self["packetization-mode"] else { return 0 }
        return Int(text) ?? -1
    }

    /// H.264's profile and level, or `nil` for one that is not known.
    package var profileLevel: H264ProfileLevel? {
        guard let text = self["profile-level-id"] else { return .unspecified }
        return H264ProfileLevel(text)
    }

    /// VP9's profile: 0 when not said (RFC 9628, section 6), `nil` for nonsense.
    package var vp9Profile: Int? {
        guard let text = self["profile-id"] else { return 0 }
        guard let profile = Int(text), (0...3).contains(profile) else { return nil }
        return profile
    }
}
