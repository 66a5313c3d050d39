/// Writes values of the log and of snapshots: numbers of variable length, texts and lists with their length before them.
struct StateWriter {
    private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: About how many bytes there will be, so that they are not copied as they grow.
    init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    mutating func write(_ byte: UInt8) {
        bytes.append(byte)
    }

    mutating func write(_ flag: Bool) {
        bytes.append(flag ? 1 : 0)
    }

    /// Seven bits a byte, the lowest first; the highest bit says that there are more.
    mutating func write(_ number: UInt64) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func write(_ number: Int) {
        write(UInt64(bitPattern: Int64(number << 1) ^ Int64(number >> 63)))
    }

    mutating func write(_ number: Double) {
        write(number.bitPattern)
    }

    mutating func write(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        write(Int(seconds))
        write(Int(attoseconds))
    }

    mutating func write(_ data: [UInt8]) {
        write(UInt64(data.count))
        bytes += data
    }

    mutating func write(_ text: String) {
        write(Array(text.utf8))
    }

    mutating func write(_ identifier: some SignalingIdentifier) {
        write(identifier.rawValue)
    }

    mutating func write<Value>(optional value: Value?, _ writeValue: (inout StateWriter, Value) -> Void) {
        write(value != nil)
        if let value { writeValue(&self, value) }
    }

    mutating func write<Values: Collection>(
        list: Values, _ writeElement: (inout StateWriter, Values.Element) -> Void
    ) {
        write(UInt64(list.count))
        for element in list { writeElement(&self, element) }
    }

    mutating func append(_ encoded: [UInt8]) {
        bytes += encoded
    }
}

/// Bytes of the log or of a snapshot that cannot be read.
struct StateError: Error, Hashable {}

/// Reads what ``StateWriter`` has written. It never reads beyond the end, and reserves no more memory than the bytes can fill.
struct StateReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isAtEnd: Bool { place == bytes.count }

    mutating func byte() throws -> UInt8 {
        guard place < bytes.count else { throw StateError() }
        place += 1
        return bytes[place - 1]
    }

    mutating func flag() throws -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw StateError()
        }
    }

    mutating func number() throws -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            let byte = try byte()
            guard shift < 63 || byte <= 1 else { throw StateError() }
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        throw StateError()
    }

    mutating func signed() throws -> Int {
        let coded = try number()
        return Int(truncatingIfNeeded: Int64(bitPattern: coded >> 1) ^ -Int64(bitPattern: coded & 1))
    }

    mutating func double() throws -> Double {
        let value = Double(bitPattern: try number())
        guard value.isFinite else { throw StateError() }
        return value
    }

    mutating func duration() throws -> Duration {
        let (seconds, attoseconds) = (try signed(), try signed())
        guard abs(seconds / 2) < 1 << 40, attoseconds > -1_000_000_000_000_000_000,
            attoseconds < 1_000_000_000_000_000_000
        else { throw StateError() }
        return Duration(secondsComponent: Int64(seconds), attosecondsComponent: Int64(attoseconds))
    }

    /// - Parameter limit: The most bytes.
    mutating func data(atMost limit: Int = .max) throws -> [UInt8] {
        let length = try number()
        guard length <= UInt64(bytes.count - place), length <= UInt64(limit) else { throw StateError() }
        defer { place += Int(length) }
        return Array(bytes[place..<(place + Int(length))])
    }

    mutating func text(atMost limit: Int = .max) throws -> String {
        guard let text = String(validating: try data(atMost: limit), as: UTF8.self) else { throw StateError() }
        return text
    }

    mutating func identifier<Identifier: SignalingIdentifier>(_: Identifier.Type = Identifier.self) throws -> Identifier
    {
        guard let identifier = Identifier(rawValue: try text(atMost: 256)) else { throw StateError() }
        return identifier
    }

    mutating func optional<Value>(_ read: (inout StateReader) throws -> Value) throws -> Value? {
        try flag() ? try read(&self) : nil
    }

    /// Each element has at least one byte.
    mutating func list<Value>(
        atMost limit: Int = .max, _ read: (inout StateReader) throws -> Value
    ) throws -> [Value] {
        let count = try number()
        guard count <= UInt64(bytes.count - place), count <= UInt64(limit) else { throw StateError() }
        var values: [Value] = []
        for _ in 0..<count { values.append(try read(&self)) }
        return values
    }
}
