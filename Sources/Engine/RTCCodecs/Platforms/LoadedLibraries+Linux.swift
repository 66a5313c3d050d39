#if os(Linux)
    import COpenH264
    import COpus
    import CVPX
    import Glibc

    /// A dynamically loaded codec library: its function table, or the reason why it cannot be used.
    enum LoadedLibrary<Table>: @unchecked Sendable {
        /// The table is never freed or changed, and the library never closed, so its encoders and decoders may live
        /// anywhere.
        case loaded(UnsafePointer<Table>)
        case missing(reason: String)

        /// Loads the first usable library of `names`. The reason on failure is that of the first one that exists but
        /// cannot be used, or else that none exists.
        init(
            names: [String], of what: String, empty: Table,
            load: (String, UnsafeMutablePointer<Table>, UnsafeMutablePointer<CChar>, Int) -> Int32
        ) {
            let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
            table.initialize(to: empty)
            var reasons: [String] = []
            for name in names {
                var reason = [CChar](repeating: 0, count: 512)
                if load(name, table, &reason, reason.count) != 0 {
                    self = .loaded(UnsafePointer(table))
                    return
                }
                reasons.append(String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
            }
            table.deallocate()
            let telling = reasons.first { !$0.contains("No such file") } ?? reasons.first ?? "it has no name"
            self = .missing(reason: "\(what) cannot be loaded: \(telling)")
        }

        var reason: String? {
            if case .missing(let reason) = self { reason } else { nil }
        }
    }

    typealias OpusLibrary = LoadedLibrary<COpusLibrary>
    typealias VPXLibrary = LoadedLibrary<CVPXLibrary>
    typealias OpenH264Library = LoadedLibrary<COpenH264Library>

    extension LoadedLibrary<COpusLibrary> {
        static let usualNames = ["libopus.so.0", "libopus.so"]

        init(names: [String]) {
            self.init(names: names, of: "libopus", empty: COpusLibrary()) { copus_load($0, $1, $2, $3) }
        }
    }

    extension LoadedLibrary<CVPXLibrary> {
        /// 1.12, 1.13, 1.14, 1.15 and 1.16, and the name in a development package.
        static let usualNames = [
            "libvpx.so.7", "libvpx.so.8", "libvpx.so.9", "libvpx.so.11", "libvpx.so.12", "libvpx.so",
        ]

        init(names: [String]) {
            self.init(names: names, of: "libvpx", empty: CVPXLibrary()) { cvpx_load($0, $1, $2, $3) }
        }
    }

    extension LoadedLibrary<COpenH264Library> {
        static let usualNames = ["libopenh264.so.7", "libopenh264.so.8", "libopenh264.so.6", "libopenh264.so"]

        init(names: [String]) {
            self.init(names: names, of: "OpenH264", empty: COpenH264Library()) { copenh264_load($0, $1, $2, $3) }
        }
    }

    /// The number of online processors.
    let processorCount = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
#endif
