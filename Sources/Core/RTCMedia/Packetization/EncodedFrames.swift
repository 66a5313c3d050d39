public import RTCWire

/// A video frame from an encoder, or assembled from packets.
@usableFromInline package struct EncodedVideoFrame: Sendable {
    @usableFromInline package var format: PayloadFormat
    /// VP8 and VP9: the codec's own frame. H.264: NAL units, each behind a start code (Annex B).
    @usableFromInline package var data: [UInt8]
    /// Whether decoding may begin here.
    @usableFromInline package var isKeyFrame: Bool
    /// When it was captured, in ticks of 90 kHz.
    @usableFromInline package var timestamp: RTPTimestamp
    /// In pixels, before rotation; 0 when not known.
    @usableFromInline package var width: Int
    @usableFromInline package var height: Int
    @usableFromInline package var rotation: VideoRotation
    /// The temporal layer of a frame from an encoder; `nil` if the stream has only one.
    @usableFromInline package var temporalLayer: TemporalLayer?

    @usableFromInline package init(
        format: PayloadFormat, data: [UInt8], isKeyFrame: Bool, timestamp: RTPTimestamp, width: Int = 0,
        height: Int = 0, rotation: VideoRotation = .none, temporalLayer: TemporalLayer? = nil
    ) {
        self.format = format
        self.data = data
        self.isKeyFrame = isKeyFrame
        self.timestamp = timestamp
        self.width = width
        self.height = height
        self.rotation = rotation
        self.temporalLayer = temporalLayer
    }
}

/// One packet of audio from an encoder.
@usableFromInline package struct EncodedAudioFrame: Sendable {
    @usableFromInline package var format: PayloadFormat
    @usableFromInline package var data: [UInt8]
    /// When its first sample was captured, in ticks of the codec's clock.
    @usableFromInline package var timestamp: RTPTimestamp
    /// How long it plays, in ticks of the codec's clock.
    @usableFromInline package var duration: UInt32
    /// Whether the audio contains speech, if the encoder can tell; for the audio level extension (RFC 6464).
    @usableFromInline package var hasVoice: Bool
    /// Loudness in −dBov: 0 is the loudest, 127 silence (RFC 6464).
    @usableFromInline package var level: UInt8

    @usableFromInline package init(
        format: PayloadFormat, data: [UInt8], timestamp: RTPTimestamp, duration: UInt32, hasVoice: Bool = true,
        level: UInt8 = 127
    ) {
        self.format = format
        self.data = data
        self.timestamp = timestamp
        self.duration = duration
        self.hasVoice = hasVoice
        self.level = level
    }
}
