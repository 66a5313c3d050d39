internal import RTCWire

/// How much sound may make. It comes first: pictures are cut to the least that they can be, and only then is sound.
///
/// With pictures at their least, what is left of 24 kbit/s for sound is what a path of 90 kbit/s carries. Below that sound
/// goes down, to its sender's minimum.
struct SoundShare {
    /// What headers and protection add to 50 packets a second.
    static let overhead: Bitrate = .kilobits(16)
    /// The least that any encoder of ours makes.
    static let least: Bitrate = .kilobits(6)

    /// What one sender of sound may make, without headers.
    ///
    /// - Parameters:
    ///   - target: What all may send, headers included.
    ///   - sound: How many send sound, 1 or more.
    ///   - pictures: How many send pictures.
    static func of(_ target: Bitrate, sound: Int, pictures: Int) -> Bitrate {
        let left = target.bitsPerSecond - CongestionControl.leastVideo.bitsPerSecond * Int64(pictures)
        return max(Bitrate(bitsPerSecond: left / Int64(max(sound, 1)) - overhead.bitsPerSecond), least)
    }
}
