import RTCWire
import Testing

@Suite("ByteReader")
struct ByteReaderTests {
    @Test("reads numbers in network byte order")
    func numbers() {
        let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
        bytes.withUnsafeBytes { memory in
            var reader = ByteReader(RawSpan(_unsafeBytes: memory))
            let values = (reader.readUInt8(), reader.readUInt16(), reader.readUInt32(), reader.readUInt64())
            let (position, remaining) = (reader.position, reader.remaining)
            #expect(values.0 == 1)
            #expect(values.1 == 0x0203)
            #expect(values.2 == 0x0405_0607)
            #expect(values.3 == 0x0809_0A0B_0C0D_0E0F)
            #expect(position == 15)
            #expect(remaining == 1)
        }
    }

    @Test("answers nil past the end and stays where it is", arguments: 0..<8)
    func truncated(count: Int) {
        [UInt8](repeating: 7, count: count).withUnsafeBytes { memory in
            var reader = ByteReader(RawSpan(_unsafeBytes: memory))
            let tooMany = reader.readBytes(count + 1)?.byteCount
            let negative = reader.readBytes(-1)?.byteCount
            let huge = reader.readBytes(.max)?.byteCount
            let skips = [reader.skip(count + 1), reader.skip(-1), reader.skip(.max)]
            let position = reader.position
            #expect(tooMany == nil && negative == nil && huge == nil)
            #expect(skips == [false, false, false])
            #expect(position == 0)
        }
    }

    @Test("answers nil for a number that is cut off, and stays where it is", arguments: 0..<8)
    func truncatedNumber(count: Int) {
        [UInt8](repeating: 7, count: count).withUnsafeBytes { memory in
            var reader = ByteReader(RawSpan(_unsafeBytes: memory))
            let eight = reader.readUInt64()
            let position = reader.position
            #expect(eight == nil && position == 0)
            let four = reader.readUInt32()
            #expect((four == nil) == (count < 4))
        }
        [UInt8](repeating: 7, count: count).withUnsafeBytes { memory in
            var reader = ByteReader(RawSpan(_unsafeBytes: memory))
            let two = reader.readUInt16()
            #expect((two == nil) == (count < 2))
            _ = reader.readRest().byteCount
            let none = (reader.readUInt8(), reader.readUInt16())
            #expect(none.0 == nil && none.1 == nil)
        }
    }

    @Test("hands out parts without copying, up to the very end")
    func parts() {
        let bytes: [UInt8] = [1, 2, 3, 4, 5]
        bytes.withUnsafeBytes { memory in
            var reader = ByteReader(RawSpan(_unsafeBytes: memory))
            let first = reader.readBytes(2)?.array
            let skipped = reader.skip(1)
            let none = reader.readBytes(0)?.byteCount
            let rest = reader.readRest().array
            let isAtEnd = reader.isAtEnd
            let nothing = reader.readRest().byteCount
            #expect(first == [1, 2])
            #expect(skipped)
            #expect(none == 0)
            #expect(rest == [4, 5])
            #expect(isAtEnd)
            #expect(nothing == 0)
        }
    }

    @Test("looks at offsets, and answers nil outside")
    func offsets() {
        let bytes: [UInt8] = [1, 2, 3, 4, 5]
        bytes.withUnsafeBytes { memory in
            let span = RawSpan(_unsafeBytes: memory)
            let inside = (span.byte(at: 4), span.uint16(at: 3), span.uint32(at: 1))
            let outside: [UInt32?] = [
                span.byte(at: 5).map(UInt32.init), span.byte(at: -1).map(UInt32.init),
                span.uint16(at: 4).map(UInt32.init), span.uint16(at: -1).map(UInt32.init), span.uint32(at: 2),
                span.uint32(at: .max), span.uint32(at: .min), span.uint16(at: .max).map(UInt32.init),
            ]
            let isEqual = span.elementsEqual([1, 2, 3, 4, 5])
            let isPrefix = span.elementsEqual([1, 2, 3, 4])
            #expect(inside.0 == 5 && inside.1 == 0x0405 && inside.2 == 0x0203_0405)
            #expect(outside.allSatisfy { $0 == nil })
            #expect(isEqual && !isPrefix)
        }
    }
}

@Suite("ByteWriter")
struct ByteWriterTests {
    @Test("writes numbers in network byte order")
    func numbers() {
        var bytes = [UInt8](repeating: 0xEE, count: 20)
        let count = bytes.withUnsafeMutableBytes { memory in
            var writer = ByteWriter(memory)
            writer.write(UInt8(1))
            writer.write(UInt16(0x0203))
            writer.write(UInt32(0x0405_0607))
            writer.write(UInt64(0x0809_0A0B_0C0D_0E0F))
            writer.pad(to: 4)
            writer.write([0x11, 0x12] as [UInt8])
            writer.overwrite(UInt16(0xAABB), at: 1)
            writer.overwrite(UInt32(0xCCDD_EEFF), at: 3)
            let (count, overflowed) = (writer.count, writer.overflowed)
            #expect(!overflowed)
            return count
        }
        #expect(count == 18)
        #expect(
            bytes == [
                1, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF, 8, 9, 10, 11, 12, 13, 14, 15, 0, 0x11, 0x12, 0xEE, 0xEE,
            ])
    }

    @Test("leaves out as a whole what does not fit, and says so")
    func overflow() {
        var bytes = [UInt8](repeating: 0xEE, count: 3)
        bytes.withUnsafeMutableBytes { memory in
            var writer = ByteWriter(memory)
            writer.write(UInt16(0x0102))
            writer.write(UInt32(0x0304_0506))
            writer.writeZeros(2)
            writer.write([9, 9] as [UInt8])
            let (count, room, overflowed) = (writer.count, writer.room, writer.overflowed)
            #expect(count == 2 && room == 1 && overflowed)
            writer.write(UInt8(3))
            let last = writer.count
            #expect(last == 3)
        }
        #expect(bytes == [1, 2, 3])
    }

    @Test("replaces only what was written before")
    func overwrite() {
        var bytes = [UInt8](repeating: 0xEE, count: 8)
        bytes.withUnsafeMutableBytes { memory in
            var writer = ByteWriter(memory)
            writer.write(UInt32(0x0102_0304))
            writer.overwrite(UInt16(0), at: 3)
            writer.overwrite(UInt32(0), at: 1)
            writer.overwrite(UInt16(0), at: -1)
        }
        #expect(bytes == [1, 2, 3, 4, 0xEE, 0xEE, 0xEE, 0xEE])
    }

    @Test("works without any memory")
    func empty() {
        var writer = ByteWriter(UnsafeMutableRawBufferPointer(start: nil, count: 0))
        writer.write([] as [UInt8])
        writer.writeZeros(0)
        writer.pad(to: 4)
        let before = writer.overflowed
        writer.write(UInt8(1))
        let (after, count) = (writer.overflowed, writer.written.count)
        #expect(!before && after && count == 0)
    }

    @Test("refuses a negative number of zeros")
    func negativeZeros() {
        var bytes: [UInt8] = [1, 2]
        let overflowed = bytes.withUnsafeMutableBytes { memory in
            var writer = ByteWriter(memory)
            writer.writeZeros(-1)
            return writer.overflowed
        }
        #expect(overflowed)
    }

    @Test("gives back what ByteReader reads, whatever it is")
    func roundTrip() {
        let random = SeededRandom(seed: 5)
        for _ in 0..<200 {
            let (a, b) = (random.next(), random.next())
            var bytes = [UInt8](repeating: 0, count: 12)
            bytes.withUnsafeMutableBytes { memory in
                var writer = ByteWriter(memory)
                writer.write(a)
                writer.write(UInt32(truncatingIfNeeded: b))
            }
            var appended: [UInt8] = []
            appended.append(bigEndian: a)
            appended.append(bigEndian: UInt32(truncatingIfNeeded: b))
            #expect(bytes == appended)
            bytes.withUnsafeBytes { memory in
                var reader = ByteReader(RawSpan(_unsafeBytes: memory))
                let (first, second) = (reader.readUInt64(), reader.readUInt32())
                #expect(first == a && second == UInt32(truncatingIfNeeded: b))
            }
        }
    }
}
