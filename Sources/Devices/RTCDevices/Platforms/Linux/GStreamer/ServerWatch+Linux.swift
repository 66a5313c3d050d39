#if os(Linux)
    import Glibc

    /// A connection to a server on this machine that shows when the server has ended, which GStreamer's elements for
    /// PipeWire and PulseAudio do not report.
    ///
    /// GStreamer's elements for PipeWire also get one connection each. Otherwise they would share one, which stays
    /// unusable for new elements until the last one releases it, and with which the device provider uses freed memory.
    final class ServerWatch: Sendable {
        /// Hangs up when the server has ended.
        let descriptor: Int32

        /// - Parameter descriptor: A connection, which this object takes over.
        init(taking descriptor: Int32) { self.descriptor = descriptor }

        /// - Returns: `nil` if no server accepts the connection.
        init?(path: String) {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let capacity = MemoryLayout.size(ofValue: address.sun_path)
            guard path.utf8.count < capacity else { return nil }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            descriptor = socket(
                AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
            guard descriptor >= 0 else { return nil }
            let size = socklen_t(MemoryLayout<sockaddr_un>.size)
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
            }
            // `deinit` closes the descriptor on failure too.
            guard status == 0 else { return nil }
        }

        deinit { if descriptor >= 0 { close(descriptor) } }

        /// Closes this copy of the connection, so that it ends when another holder closes its copy, but keeps the
        /// descriptor's number, by which GStreamer identifies the connection.
        func closeLocalCopy() {
            let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard nothing >= 0 else { return }
            _ = dup2(nothing, descriptor)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            close(nothing)
        }

        /// Whether the server has not closed its end.
        var isAlive: Bool {
            var byte: UInt8 = 0
            let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
            return count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR)
        }

        /// Connects to PipeWire: directly, or in a sandbox through the camera portal.
        static func pipeWire() -> ServerWatch? {
            pipeWirePath.flatMap { ServerWatch(path: $0) } ?? LinuxAuthorization.shared.portalConnection()
        }

        /// Connects to PulseAudio.
        static func pulseAudio() -> ServerWatch? { pulseAudioPath.flatMap { ServerWatch(path: $0) } }

        // MARK: Socket paths

        /// PipeWire's socket, as its own library determines it.
        static var pipeWirePath: String? {
            let name = environment("PIPEWIRE_REMOTE") ?? "pipewire-0"
            if name.hasPrefix("/") { return name }
            let folder = environment("PIPEWIRE_RUNTIME_DIR") ?? environment("XDG_RUNTIME_DIR")
            return (folder ?? environment("USERPROFILE")).map { "\($0)/\(name)" }
        }

        /// PulseAudio's socket; `nil` if the server is on another machine.
        static var pulseAudioPath: String? {
            if let server = environment("PULSE_SERVER") {
                if server.hasPrefix("unix:") { return String(server.dropFirst(5)) }
                return server.hasPrefix("/") ? server : nil
            }
            if let folder = environment("PULSE_RUNTIME_PATH") { return "\(folder)/native" }
            return environment("XDG_RUNTIME_DIR").map { "\($0)/pulse/native" }
        }

        private static func environment(_ name: String) -> String? {
            getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
    }
#endif
