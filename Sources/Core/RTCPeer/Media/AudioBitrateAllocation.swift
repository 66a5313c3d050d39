internal import RTCWire

/// The bitrate of audio. Audio has priority: video is reduced to its minimum before audio is reduced.
///
/// With video at its minimum, a path of 90 kbit/s leaves 24 kbit/s for audio. Below that audio is reduced, down to its
/// minimum.
struct AudioBitrateAllocation {
    /// The bitrate of headers and SRTP at 50 packets a second.
    static let overhead: Bitrate = .kilobits(16)
    /// The lowest bitrate of our encoders.
    static let least: Bitrate = .kilobits(6)

    /// The bitrate of one audio sender, without headers.
    ///
    /// - Parameters:
    ///   - target: The total send bitrate, headers included.
    ///   - sound: The number of audio senders, 1 or more.
    ///   - pictures: The number of video senders.
    static func of(_ target: Bitrate, sound: Int, pictures: Int) -> Bitrate {
        let left = target.bitsPerSecond - CongestionControl.leastVideo.bitsPerSecond * Int64(pictures)
        return max(Bitrate(bitsPerSecond: left / Int64(max(sound, 1)) - overhead.bitsPerSecond), least)
    }
}
