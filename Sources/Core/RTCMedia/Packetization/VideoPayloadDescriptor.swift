/// What one RTP payload says of the picture that it belongs to, and where in it the codec's bytes are.
public struct VideoPayloadDescriptor: Sendable, Hashable {
    /// The codec's bytes, as offsets into the payload; for H.264 in the form that ``packaging`` tells.
    public var bytes: Range<Int>
    public var packaging = Packaging.plain

    /// Whether this is certainly the first packet of a picture. H.264 says so only where one begins with a delimiter
    /// or a sequence parameter set.
    public var beginsFrame = false
    /// Whether a picture may begin here if the packet before was the end of another one.
    public var mayBeginFrame = false
    /// Whether decoding may begin at the picture; VP8 and VP9 say so in its first packet only.
    public var isKeyFrame = false
    /// Whether no other picture refers to this one.
    public var isDiscardable = false

    /// VP8's and VP9's count of pictures, of ``pictureIDBits`` bits.
    public var pictureID: UInt16?
    /// 7 or 15
    public var pictureIDBits: UInt8 = 15
    /// TL0PICIDX: the count of pictures in the lowest temporal layer up to here, which says whether one was missed.
    public var baseLayerIndex: UInt8?
    public var temporalLayer: UInt8?
    public var spatialLayer: UInt8?
    /// Whether a receiver may go up in temporal layers here. VP8's Y: this picture refers to the lowest layer only.
    /// VP9's U: nothing later in the layers above this one's refers to what is before it.
    public var isLayerSwitch = false
    /// What a VP9 picture in flexible mode refers to.
    public var references: References?

    /// In pixels, where a key frame's first packet tells it; else 0.
    public var width: UInt16 = 0
    public var height: UInt16 = 0

    /// Of H.264: whether the packet holds a parameter set.
    public var hasParameterSets = false
    /// Of H.264: whether the packet holds a part of the picture itself.
    public var hasSlice = false

    public enum Packaging: Sendable, Hashable {
        /// The codec's bytes as they are.
        case plain
        /// One NAL unit.
        case unit
        /// NAL units, each behind its 16-bit size.
        case aggregate
        /// The first fragment of a NAL unit, without the unit's header, which is this byte.
        case firstFragment(header: UInt8)
        /// A later fragment of a NAL unit.
        case fragment
    }

    /// How many pictures back the pictures are that one refers to: none to three (P_DIFF of RFC 9628, section 4.2).
    public struct References: Sendable, Hashable {
        public var count: UInt8 = 0
        public var first: UInt8 = 0
        public var second: UInt8 = 0
        public var third: UInt8 = 0

        public init() {}
    }

    public init(bytes: Range<Int>) {
        self.bytes = bytes
    }
}
