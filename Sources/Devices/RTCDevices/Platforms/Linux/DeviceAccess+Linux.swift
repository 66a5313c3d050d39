#if os(Linux)
    import Glibc

    /// What this process may use where no portal asks the person: the devices of an audio or video server, or the
    /// device nodes.
    struct DeviceAccess: Sendable {
        enum Finding: Equatable {
            case allowed
            /// This user may not open any of the devices.
            case forbidden(String)
            /// There is no device.
            case nothing(String)
        }

        /// The folder of the device nodes.
        var nodes = "/dev"
        var hasPipeWire: @Sendable () -> Bool = {
            ServerWatch.pipeWirePath.flatMap { ServerWatch(path: $0) } != nil
        }
        var hasPulseAudio: @Sendable () -> Bool = { ServerWatch.pulseAudio() != nil }
        /// Whether this user may read and write a node.
        var canOpen: @Sendable (String) -> Bool = { access($0, R_OK | W_OK) == 0 }

        func video() -> Finding {
            if hasPipeWire() { return .allowed }
            return nodes(
                in: nodes, prefix: "video", what: "camera",
                otherwise: "\(Self.session("PipeWire", ServerWatch.pipeWirePath))")
        }

        func audio() -> Finding {
            if hasPulseAudio() || hasPipeWire() { return .allowed }
            return nodes(
                in: "\(nodes)/snd", prefix: "pcmC", what: "microphone",
                otherwise: "\(Self.session("PulseAudio or PipeWire", ServerWatch.pulseAudioPath))")
        }

        private func nodes(in folder: String, prefix: String, what: String, otherwise reason: String) -> Finding {
            let found = Self.entries(of: folder).filter { $0.hasPrefix(prefix) }.sorted().map { "\(folder)/\($0)" }
            guard let first = found.first else {
                return .nothing("there is no \(what) at \(folder)/\(prefix)*, and \(reason)")
            }
            if found.contains(where: canOpen) { return .allowed }
            return .forbidden("\(first) may not be opened by this user\(Self.advice(first)), and \(reason)")
        }

        /// Names the group that the user has to join.
        private static func advice(_ path: String) -> String {
            var status = stat()
            guard stat(path, &status) == 0 else { return "" }
            guard status.st_mode & (S_IRGRP | S_IWGRP) != 0, let group = getgrgid(status.st_gid) else {
                return ": only its owner may"
            }
            let name = String(cString: group.pointee.gr_name)
            return ", who is not in the group \(name): sudo usermod -aG \(name) USER, then log in again"
        }

        private static func session(_ name: String, _ path: String?) -> String {
            guard let path else { return "there is no session for \(name) (XDG_RUNTIME_DIR is not set)" }
            return access(path, F_OK) == 0
                ? "\(name) does not answer at \(path)" : "\(name) does not run: there is no \(path)"
        }

        private static func entries(of folder: String) -> [String] {
            guard let directory = opendir(folder) else { return [] }
            defer { closedir(directory) }
            var names: [String] = []
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                names.append(name)
            }
            return names
        }
    }
#endif
