/// The information of an RTP payload about its frame, and the position of the codec's bytes in it.
public struct VideoPayloadDescriptor: Sendable, Hashable {
    /// The codec's bytes, as offsets into the payload; for H.264 in the form of ``packaging``.
    public var bytes: Range<Int>
    public var packaging = Packaging.plain

    /// Whether this is certainly the first packet of a frame. H.264 shows this only for frames that begin with a
    /// delimiter or a sequence parameter set.
    public var beginsFrame = false
    /// Whether a frame may begin here, if the packet before ended another one.
    public var mayBeginFrame = false
    /// Whether decoding may begin at the frame; VP8 and VP9 show this in its first packet only.
    public var isKeyFrame = false
    /// Whether no other frame refers to this one.
    public var isDiscardable = false

    /// The picture ID of VP8 and VP9, with ``pictureIDBits`` bits.
    public var pictureID: UInt16?
    /// 7 or 15
    public var pictureIDBits: UInt8 = 15
    /// TL0PICIDX: the number of frames in the lowest temporal layer up to here, which reveals a missing one.
    public var baseLayerIndex: UInt8?
    public var temporalLayer: UInt8?
    public var spatialLayer: UInt8?
    /// Whether a receiver may switch to higher temporal layers here. VP8's Y: this frame refers to the lowest layer
    /// only. VP9's U: no later frame in the layers above this one refers to a frame before it.
    public var isLayerSwitch = false
    /// The references of a VP9 frame in flexible mode.
    public var references: References?

    /// The pattern of references that a VP9 key frame in non-flexible mode announces.
    public var pictureGroup: VP9PictureGroup?

    /// In pixels, if the first packet of a key frame contains it; otherwise 0.
    public var width: UInt16 = 0
    public var height: UInt16 = 0

    /// Of H.264: whether the packet holds a parameter set.
    public var hasParameterSets = false
    /// For H.264: whether the packet contains a part of a coded picture.
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

    /// The distances to the frames that a frame refers to, in frames: none to three of them (P_DIFF of RFC 9628,
    /// section 4.2).
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
