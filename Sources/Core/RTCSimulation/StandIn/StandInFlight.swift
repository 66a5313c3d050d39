import RTCTransport
import RTCWire

/// The flights of the stand-in handshake, with the number and round trips of DTLS.
///
///     client                                   server
///       hello             -------------------->
///                         <--------------------  answer, certificate
///       certificate, proof -------------------->
///                         <--------------------  proof
enum StandInFlight: UInt8 {
    /// The client's versions, SRTP profiles and random bytes.
    case clientHello = 1
    /// The server's version, SRTP profile, random bytes and certificate.
    case serverAnswer = 2
    /// The client's certificate, and a proof bound to this handshake.
    case clientProof = 3
    /// The server's Finished in DTLS 1.2, its ACK in DTLS 1.3.
    case serverProof = 4

    /// The size limit of a flight in bytes.
    static let maximumSize = 20_000
}

/// The first flight.
///
///     minimum version 8 | maximum version 8 | random 256 | number of profiles 8 | profile 16 … | padding
struct StandInClientHello {
    var minimumVersion: DTLSVersion
    var maximumVersion: DTLSVersion
    var random: [UInt8]
    var profiles: [UInt16]

    func write(size: Int) -> [UInt8] {
        var bytes: [UInt8] = [minimumVersion.code, maximumVersion.code]
        bytes += random
        bytes.append(UInt8(truncatingIfNeeded: profiles.count))
        for profile in profiles { bytes.append(bigEndian: profile) }
        if bytes.count < size { bytes += repeatElement(0, count: min(size, StandInFlight.maximumSize) - bytes.count) }
        return bytes
    }

    static func read(_ bytes: [UInt8]) -> StandInClientHello? {
        bytes.withUnsafeBytes { memory in
            var reader = ByteReader(RawSpan(_unsafeBytes: memory))
            guard let minimum = reader.readUInt8().flatMap(DTLSVersion.init(code:)),
                let maximum = reader.readUInt8().flatMap(DTLSVersion.init(code:)),
                let random = reader.readBytes(32)?.array, let count = reader.readUInt8()
            else { return nil }
            var profiles: [UInt16] = []
            for _ in 0..<count {
                guard let profile = reader.readUInt16() else { return nil }
                profiles.append(profile)
            }
            return StandInClientHello(
                minimumVersion: minimum, maximumVersion: maximum, random: random, profiles: profiles)
        }
    }
}

/// The second flight.
///
///     version 8 | profile 16, 0 for none | random 256 | certificate …
struct StandInServerAnswer {
    var version: DTLSVersion
    var profile: UInt16
    var random: [UInt8]
    var certificate: [UInt8]

    func write() -> [UInt8] {
        var bytes: [UInt8] = [version.code]
        bytes.append(bigEndian: profile)
        return bytes + random + certificate
    }

    static func read(_ bytes: [UInt8]) -> StandInServerAnswer? {
        bytes.withUnsafeBytes { memory in
            var reader = ByteReader(RawSpan(_unsafeBytes: memory))
            guard let version = reader.readUInt8().flatMap(DTLSVersion.init(code:)),
                let profile = reader.readUInt16(), let random = reader.readBytes(32)?.array
            else { return nil }
            return StandInServerAnswer(
                version: version, profile: profile, random: random, certificate: reader.readRest().array)
        }
    }
}

extension DTLSVersion {
    /// The minor version on the wire; DTLS counts downwards.
    fileprivate var code: UInt8 { self == .v13 ? 0xFC : 0xFD }

    fileprivate init?(code: UInt8) {
        switch code {
        case 0xFC: self = .v13
        case 0xFD: self = .v12
        default: return nil
        }
    }
}

/// Reassembles a flight from its fragments, which may be reordered and duplicated.
///
/// A fragment is the body of a handshake record:
///
///     flight 8 | length of the flight 16 | offset 16 | bytes …
struct StandInFlightAssembly {
    static let headerSize = 5

    private(set) var flight: StandInFlight
    private var bytes: [UInt8]
    private var has: [Bool]
    private var missing: Int

    private init(flight: StandInFlight, size: Int) {
        self.flight = flight
        bytes = [UInt8](repeating: 0, count: size)
        has = [Bool](repeating: false, count: size)
        missing = size
    }

    /// The flight of a fragment, and whether the fragment is its first; `nil` for invalid ones.
    static func identify(_ fragment: ArraySlice<UInt8>) -> (flight: StandInFlight, isFirst: Bool)? {
        guard let header = Header(fragment) else { return nil }
        return (header.flight, header.offset == 0)
    }

    /// Adds a fragment. Returns the flight once it is complete.
    static func add(_ fragment: ArraySlice<UInt8>, to assembly: inout StandInFlightAssembly?) -> [UInt8]? {
        guard let header = Header(fragment) else { return nil }
        var current = assembly ?? StandInFlightAssembly(flight: header.flight, size: header.size)
        assembly = nil
        defer { assembly = current }
        guard current.flight == header.flight, current.bytes.count == header.size else { return nil }
        for (index, byte) in fragment.dropFirst(headerSize).enumerated() where !current.has[header.offset + index] {
            current.bytes[header.offset + index] = byte
            current.has[header.offset + index] = true
            current.missing -= 1
        }
        return current.missing == 0 ? current.bytes : nil
    }

    /// Divides a flight into fragments of at most `size` bytes.
    static func cut(_ flight: StandInFlight, _ bytes: [UInt8], size: Int) -> [[UInt8]] {
        let step = max(1, size - headerSize)
        return stride(from: 0, to: bytes.count, by: step).map { offset in
            var fragment: [UInt8] = [flight.rawValue]
            fragment.append(bigEndian: UInt16(truncatingIfNeeded: bytes.count))
            fragment.append(bigEndian: UInt16(truncatingIfNeeded: offset))
            fragment += bytes[offset..<min(offset + step, bytes.count)]
            return fragment
        }
    }

    private struct Header {
        let flight: StandInFlight
        let size: Int
        let offset: Int

        init?(_ fragment: ArraySlice<UInt8>) {
            let start = fragment.startIndex
            guard fragment.count > headerSize, let flight = StandInFlight(rawValue: fragment[start]) else { return nil }
            self.flight = flight
            size = Int(fragment[start + 1]) << 8 | Int(fragment[start + 2])
            offset = Int(fragment[start + 3]) << 8 | Int(fragment[start + 4])
            guard size <= StandInFlight.maximumSize, offset + fragment.count - headerSize <= size else { return nil }
        }
    }
}
