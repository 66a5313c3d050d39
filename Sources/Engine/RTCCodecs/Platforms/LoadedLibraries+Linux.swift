#if os(Linux)
    import COpenH264
    import CDuetOpus
    import CVPX
    import Glibc

    typealias VPXLibrary = LoadedLibrary<CVPXLibrary>
    typealias OpenH264Library = LoadedLibrary<COpenH264Library>

    extension LoadedLibrary<COpusLibrary> {
        static let usualNames = ["libopus.so.0", "libopus.so"]

        /// The program's own libopus, or else the system's.
        static func usual() -> Self {
            let own = provided()
            return own.reason == nil ? own : Self(names: usualNames)
        }

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
