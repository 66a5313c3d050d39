#if os(Linux)
    /// Parses the formats of a camera from the text of its GStreamer caps.
    ///
    /// The text is untrusted: entries that cannot be parsed are ignored, and at most ``limit`` formats are returned.
    struct CapsFormats {
        /// The largest first, then the fastest.
        private(set) var formats: [CameraFormat] = []
        /// Whether the camera delivers grey images only: an infrared camera for face recognition.
        private(set) var isGrey = false

        /// Far more formats than any camera has.
        static let limit = 512
        /// The sizes that are offered for cameras that can deliver any size.
        static let usualSizes = [
            (3_840, 2_160), (1_920, 1_080), (1_280, 720), (960, 540), (640, 480), (640, 360), (320, 240),
        ]

        init(_ text: String) {
            var seen = Set<CameraFormat>()
            var greys = 0
            for structure in Self.split(text, at: ";") {
                for format in Self.formats(of: structure) where formats.count < Self.limit {
                    if format.pixelFormat.rawValue.hasPrefix("GRAY") { greys += 1 }
                    if seen.insert(format).inserted { formats.append(format) }
                }
            }
            isGrey = greys > 0 && greys == formats.count
            formats.sort { left, right in
                let (a, b) = (left.width * left.height, right.width * right.height)
                return a != b
                    ? a > b : (left.frameRates.last?.upperBound ?? 0) > (right.frameRates.last?.upperBound ?? 0)
            }
        }

        private static func formats(of structure: String) -> [CameraFormat] {
            let parts = split(structure, at: ",")
            guard let name = parts.first?.prefix(while: { $0 != "(" }) else { return [] }
            var fields: [String: String] = [:]
            for part in parts.dropFirst() {
                guard let sign = part.firstIndex(of: "=") else { continue }
                fields[trimmed(part[..<sign])] = withoutType(part[part.index(after: sign)...])
            }
            let pixelFormats: [CameraFormat.PixelFormat]
            switch name {
            case "video/x-raw": pixelFormats = values(fields["format"]).map { .init($0) }
            case "image/jpeg": pixelFormats = [.mjpeg]
            case "video/x-h264": pixelFormats = [.h264]
            default: return []
            }
            let rates = frameRates(fields["framerate"])
            return sizes(fields["width"], fields["height"]).flatMap { size in
                pixelFormats.map {
                    CameraFormat(width: size.0, height: size.1, frameRates: rates, pixelFormat: $0)
                }
            }
        }

        private static func sizes(_ width: String?, _ height: String?) -> [(Int, Int)] {
            guard let width, let height else { return [] }
            if let width = Int(width), let height = Int(height) {
                return (1...16_384).contains(width) && (1...16_384).contains(height) ? [(width, height)] : []
            }
            func allows(_ text: String, _ number: Int) -> Bool {
                if let only = Int(text) { return only == number }
                let numbers = values(text).compactMap { Int($0) }
                guard text.hasPrefix("["), let first = numbers.first, numbers.count > 1 else {
                    return numbers.contains(number)
                }
                return first <= number && number <= numbers[1]
            }
            return usualSizes.filter { allows(width, $0.0) && allows(height, $0.1) }
        }

        private static func frameRates(_ text: String?) -> [ClosedRange<Double>] {
            guard let text else { return [] }
            let rates = values(text).compactMap(rate)
            if text.hasPrefix("["), rates.count == 2 {
                return rates[1] > 0 && rates[0] <= rates[1] ? [max(rates[0], 1)...max(rates[1], 1)] : []
            }
            return Set(rates).filter { $0 > 0 }.sorted().map { $0...$0 }
        }

        /// Parses a rate such as `30000/1001`; `2147483647/1` stands for any rate.
        private static func rate(_ text: String) -> Double? {
            let parts = text.split(separator: "/")
            guard parts.count == 2, let up = Double(parts[0]), let down = Double(parts[1]), down > 0, up >= 0 else {
                return nil
            }
            return min(up / down, 240)
        }

        // MARK: Text

        /// The entries of `{ a, b }` or `[ a, b ]`; otherwise the text itself.
        private static func values(_ text: String?) -> [String] {
            guard var text, !text.isEmpty else { return [] }
            if text.hasPrefix("{") || text.hasPrefix("[") { text = String(text.dropFirst().dropLast()) }
            return split(text, at: ",").map { withoutType($0[...]) }.filter { !$0.isEmpty }
        }

        /// Turns `(string)YUY2` into `YUY2`.
        private static func withoutType(_ text: Substring) -> String {
            var text = trimmed(text)[...]
            if text.hasPrefix("("), let end = text.firstIndex(of: ")") { text = text[text.index(after: end)...] }
            return trimmed(text)
        }

        private static func trimmed(_ text: Substring) -> String {
            var text = text
            while text.first == " " || text.first == "\"" { text.removeFirst() }
            while text.last == " " || text.last == "\"" { text.removeLast() }
            return String(text)
        }

        /// Splits a text at the separators outside of brackets.
        private static func split(_ text: String, at separator: Character) -> [String] {
            var (parts, part, depth) = ([String](), "", 0)
            for character in text {
                switch character {
                case "{", "[", "<": depth += 1
                case "}", "]", ">": depth -= 1
                default: break
                }
                if character == separator, depth == 0 {
                    parts.append(trimmed(part[...]))
                    part = ""
                } else {
                    part.append(character)
                }
            }
            parts.append(trimmed(part[...]))
            return parts
        }
    }
#endif
