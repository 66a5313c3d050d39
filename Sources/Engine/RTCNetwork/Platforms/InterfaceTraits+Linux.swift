#if os(Linux)
    internal import Glibc
    internal import RTCWire

    /// Information missing from the interface list, from /proc and /sys.
    struct InterfaceTraits {
        // From linux/if.h; Glibc has them as an enumeration.
        static let up = 0x1
        static let loopback = 0x8
        static let pointToPoint = 0x10
        static let running = 0x40

        struct AddressFlags {
            var isTemporary = false
            var isDeprecated = false
        }

        private var flags: [IPAddress: AddressFlags] = [:]

        /// Reads the flags of all IPv6 addresses from one file, with lines of address, index, prefix length, scope,
        /// flags and name, in hexadecimal.
        static func read() -> InterfaceTraits {
            var traits = InterfaceTraits()
            let table = SystemFile.read("/proc/net/if_inet6", limit: 64 * 1024) ?? ""
            for line in table.split(separator: "\n") {
                let fields = line.split(separator: " ", omittingEmptySubsequences: true)
                guard fields.count >= 6, fields[0].utf8.count == 32, let bits = UInt32(fields[4], radix: 16),
                    let high = UInt64(fields[0].prefix(16), radix: 16),
                    let low = UInt64(fields[0].suffix(16), radix: 16)
                else { continue }
                // IFA_F_TEMPORARY 0x01; IFA_F_DADFAILED 0x08, IFA_F_DEPRECATED 0x20, IFA_F_TENTATIVE 0x40
                traits.flags[IPAddress(v6High: high, low: low)] = AddressFlags(
                    isTemporary: bits & 0x01 != 0, isDeprecated: bits & 0x68 != 0)
            }
            return traits
        }

        func addressFlags(of ip: IPAddress, on interface: String) -> AddressFlags {
            guard ip.isIPv6 else { return AddressFlags() }
            var ip = ip
            ip.zone = 0
            return flags[ip] ?? AddressFlags()
        }

        /// The kind of interface according to the kernel; `nil` if only the name tells.
        func kind(of name: String) -> NetworkInterface.Kind? {
            guard !name.isEmpty, !name.contains("/") else { return nil }
            let folder = "/sys/class/net/\(name)"
            if access("\(folder)/wireless", F_OK) == 0 || access("\(folder)/phy80211", F_OK) == 0 { return .wifi }
            if access("\(folder)/tun_flags", F_OK) == 0 { return .vpn }
            let properties = SystemFile.read("\(folder)/uevent", limit: 4096) ?? ""
            for line in properties.split(separator: "\n") where line.hasPrefix("DEVTYPE=") {
                switch line.dropFirst(8) {
                case "wlan": return .wifi
                case "wwan": return .cellular
                case "wireguard", "ppp": return .vpn
                case "bridge", "vlan", "bond": return .wired
                default: return nil
                }
            }
            return nil
        }
    }

    /// Reads small system files.
    enum SystemFile {
        /// The text of a file, up to `limit` bytes; `nil` if it cannot be read.
        static func read(_ path: String, limit: Int) -> String? {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var bytes: [UInt8] = []
            while bytes.count < limit {
                let chunk = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
                    let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                    if count > 0 { bytes.append(contentsOf: buffer[0..<count]) }
                    return count
                }
                if chunk <= 0 { break }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
#endif
