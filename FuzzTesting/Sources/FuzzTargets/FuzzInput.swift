/// Makes choices and byte strings out of the fuzzer's bytes. When they are used up, everything is 0 and empty.
struct FuzzInput {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isEmpty: Bool { position >= bytes.count }

    mutating func byte() -> UInt8 {
        guard position < bytes.count else { return 0 }
        defer { position += 1 }
        return bytes[position]
    }

    /// Less than `bound`, which is at most 256.
    mutating func number(below bound: Int) -> Int {
        Int(byte()) % bound
    }

    /// As many bytes as the next two say, at most `limit`.
    mutating func chunk(limit: Int = 1_500) -> [UInt8] {
        let count = min((Int(byte()) << 8 | Int(byte())) % (limit + 1), bytes.count - position)
        defer { position += count }
        return Array(bytes[position..<(position + count)])
    }

    mutating func text(limit: Int = 4_000) -> String {
        String(decoding: chunk(limit: limit), as: UTF8.self)
    }

    mutating func rest() -> [UInt8] {
        defer { position = bytes.count }
        return Array(bytes[min(position, bytes.count)...])
    }

    /// `original` with some of its bytes changed, cut or extended, as the input says.
    mutating func mutate(_ original: [UInt8]) -> [UInt8] {
        var result = original
        for _ in 0..<number(below: 8) {
            let place = Int(byte()) << 8 | Int(byte())
            let value = byte()
            switch value % 8 {
            case 0 where !result.isEmpty: result.removeLast(min(result.count, place % 32))
            case 1: result.append(contentsOf: repeatElement(value, count: place % 32))
            default: if !result.isEmpty { result[place % result.count] = byte() }
            }
        }
        return result
    }
}
