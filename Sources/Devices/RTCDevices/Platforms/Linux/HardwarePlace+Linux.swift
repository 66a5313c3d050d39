#if os(Linux)
    import Glibc

    /// The position of a device in the machine's hardware, from the kernel's files under `/sys`.
    struct HardwarePlace {
        /// The same for all parts of one device, such as a camera and its microphone.
        var group: String?
        /// Whether the device can be unplugged, if the kernel knows.
        var isRemovable: Bool?

        /// Locates a node such as `/dev/video0`.
        init(videoNode path: String, root: String = "/sys") {
            self.init(link: "\(root)/class/video4linux/\(path.split(separator: "/").last ?? "none")/device")
        }

        /// Locates a sound card by its number.
        init(soundCard number: Int, root: String = "/sys") {
            self.init(link: "\(root)/class/sound/card\(number)/device")
        }

        private init(link: String) {
            guard let resolved = realpath(link, nil) else { return }
            defer { free(resolved) }
            var parts = String(cString: resolved).split(separator: "/")
            // The folder of a USB interface, such as `1-6:1.0`, is inside that of its device.
            if let last = parts.last, last.contains(":"), last.first?.isNumber == true { parts.removeLast() }
            group = parts.last.map(String.init)
            isRemovable = Self.text("/" + parts.joined(separator: "/") + "/removable").flatMap {
                ["fixed": false, "removable": true][$0]
            }
        }

        /// Returns the node, such as `/dev/video0`, for a device number from libcamera.
        static func node(ofDeviceNumber number: UInt64, root: String = "/sys") -> String? {
            let major = number >> 8 & 0xfff
            let minor = number & 0xff | number >> 12 & 0xf_ff00
            guard let resolved = realpath("\(root)/dev/char/\(major):\(minor)", nil) else { return nil }
            defer { free(resolved) }
            return String(cString: resolved).split(separator: "/").last.map { "/dev/\($0)" }
        }

        /// The first line of a small file.
        private static func text(_ path: String) -> String? {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return nil }
            return String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self)
        }
    }
#endif
