import RTCDevices

/// The segment of a JPEG file that carries the orientation of its image.
///
/// Exif 2.32, section 4: an APP1 segment that contains a TIFF file with one entry.
/// ```
/// FF E1 00 22  "Exif" 0 0  "MM" 002A 00000008  0001  0112 0003 00000001 00vv 0000  00000000
///     length               big-endian, first   count tag  SHORT one     value      no more
/// ```
enum ExifSegment {
    static func bytes(_ orientation: ExifOrientation) -> [UInt8] {
        [
            0xff, 0xe1, 0x00, 0x22, 0x45, 0x78, 0x69, 0x66, 0, 0, 0x4d, 0x4d, 0x00, 0x2a, 0, 0, 0, 8, 0, 1, 0x01, 0x12,
            0,
            3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0, 0, 0, 0, 0,
        ]
    }

    /// Inserts the segment after the file's first marker, where readers look for it.
    ///
    /// - Returns: `nil` if the bytes are no JPEG file.
    static func insert(_ orientation: ExifOrientation, into jpeg: [UInt8]) -> [UInt8]? {
        guard jpeg.starts(with: [0xff, 0xd8, 0xff]) else { return nil }
        return jpeg[..<2] + bytes(orientation) + jpeg[2...]
    }
}
