#if os(Linux)
    import Glibc

    /// Where a device hangs in the machine, as the kernel's files under `/sys` tell.
    struct HardwarePlace {
        /// The same for all parts of one thing: a camera, and the microphone in it.
        var group: String?
        /// Whether the kernel knows that it can, or cannot, be pulled out.
        var isRemovable: Bool?

        /// Of a node such as `/dev/video0`.
        init(videoNode path: String, root: String = "/sys") {
            self.init(link: "\(root)/class/video4linux/\(path.split(separator: "/").last ?? "none")/device")
        }

        /// Of a sound card, by its number.
        init(soundCard number: Int, root: String = "/sys") {
            self.init(link: "\(root)/class/sound/card\(number)/device")
        }

        private init(link: String) {
            guard let resolved = realpath(link, nil) else { return }
            defer { free(resolved) }
            var parts = String(cString: resolved).split(separator: "/")
            // An interface of a USB device, such as `1-6:1.0`, lies in the folder of the device.
            if let last = parts.last, last.contains(":"), last.first?.isNumber == true { parts.removeLast() }
            group = parts.last.map(String.init)
            isRemovable = Self.text("/" + parts.joined(separator: "/") + "/removable").flatMap {
                ["fixed": false, "removable": true][$0]
            }
        }

        /// The node of a device number as libcamera gives it, such as `/dev/video0`.
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
