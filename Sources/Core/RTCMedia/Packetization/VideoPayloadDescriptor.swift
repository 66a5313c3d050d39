/// The information of an RTP payload about its frame, and the position of the codec's bytes in it.
package struct VideoPayloadDescriptor: Sendable, Hashable {
    /// The codec's bytes, as offsets into the payload; for H.264 in the form of ``packaging``.
    package var bytes: Range<Int>
    package var packaging = Packaging.plain

    /// Whether this is certainly the first packet of a frame. H.264 shows this only for frames that begin with a
    /// delimiter or a sequence parameter set.
    package var beginsFrame = false
    /// Whether a frame may begin here, if the packet before ended another one.
    package var mayBeginFrame = false
    /// Whether decoding may begin at the frame; VP8 and VP9 show this in its first packet only.
    package var isKeyFrame = false
    /// Whether no other frame refers to this one.
    package var isDiscardable = false

    /// The picture ID of VP8 and VP9, with ``pictureIDBits`` bits.
    package var pictureID: UInt16?
    /// 7 or 15
    package var pictureIDBits: UInt8 = 15
    /// TL0PICIDX: the number of frames in the lowest temporal layer up to here, which reveals a missing one.
    package var baseLayerIndex: UInt8?
    package var temporalLayer: UInt8?
    package var spatialLayer: UInt8?
    /// Whether a receiver may switch to higher temporal layers here. VP8's Y: this frame refers to the lowest layer
    /// only. VP9's U: no later frame in the layers above this one refers to a frame before it.
    package var isLayerSwitch = false
    /// The references of a VP9 frame in flexible mode.
    package var references: References?

    /// The pattern of references that a VP9 key frame in non-flexible mode announces.
    package var pictureGroup: VP9PictureGroup?

    /// In pixels, if the first packet of a key frame contains it; otherwise 0.
    package var width: UInt16 = 0
    package var height: UInt16 = 0

    /// Of H.264: whether the packet holds a parameter set.
    package var hasParameterSets = false
    /// For H.264: whether the packet contains a part of a coded picture.
    package var hasSlice = false

    package enum Packaging: Sendable, Hashable {
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
    package struct References: Sendable, Hashable {
        package var count: UInt8 = 0
        package var first: UInt8 = 0
        package var second: UInt8 = 0
        package var third: UInt8 = 0

        package init() {}
    }

    package init(bytes: Range<Int>) {
        self.bytes = bytes
    }
}
