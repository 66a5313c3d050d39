#if os(Linux)
    import Glibc

    /// Sets zoom, focus and exposure of a camera through its kernel node, which every process with access to the node
    /// may do while another one captures.
    ///
    /// Video for Linux, part "Camera Control Reference".
    struct V4L2Controls {
        enum Control: UInt32, CaseIterable {
            case exposureMode = 0x9a_0901
            case focusPosition = 0x9a_090a
            case focusIsAutomatic = 0x9a_090c
            case zoom = 0x9a_090d
        }

        /// The range of a control; `nil` if the camera does not have it.
        let range: (Control) -> ClosedRange<Int32>?
        /// - Returns: 0, or `errno`.
        let write: (Control, Int32) -> Int32

        init(range: @escaping (Control) -> ClosedRange<Int32>?, write: @escaping (Control, Int32) -> Int32) {
            self.range = range
            self.write = write
        }

        /// Opens a node such as `/dev/video0`, which stays open for the lifetime of this value.
        ///
        /// - Returns: `nil` if it cannot be opened.
        init?(node path: String) {
            guard let node = Node(path) else { return nil }
            self.init(range: { node.range($0) }, write: { node.write($0, $1) })
        }

        // MARK: Conversion

        var controls: CameraControls {
            var controls = CameraControls()
            // Some cameras start at zero: their magnification is unknown.
            if let zoom = range(.zoom), zoom.lowerBound > 0, zoom.upperBound > zoom.lowerBound {
                controls.zoom = 1...Double(zoom.upperBound) / Double(zoom.lowerBound)
            }
            if range(.focusIsAutomatic) != nil { controls.focusModes.insert(.continuous) }
            if range(.focusPosition) != nil { controls.focusModes.insert(.locked) }
            if range(.exposureMode) != nil { controls.exposureModes = [.continuous, .locked] }
            return controls
        }

        /// - Throws: ``DeviceError`` `unsupported`, or `failed`.
        func set(_ setting: CameraSetting, of device: MediaDevice) throws(DeviceError) {
            switch setting {
            case .zoom(let factor):
                guard let zoom = range(.zoom), zoom.lowerBound > 0, factor.isFinite,
                    controls.zoom?.contains(factor) == true
                else { throw Self.unsupported(device, "zoom factor \(factor)") }
                try write(.zoom, Int32((Double(zoom.lowerBound) * factor).rounded()), device)
            case .focus(.continuous):
                try write(.focusIsAutomatic, 1, device)
            case .focus(.locked):
                // A camera without automatic focus is always locked.
                if range(.focusIsAutomatic) != nil { try write(.focusIsAutomatic, 0, device) }
                guard range(.focusPosition) != nil else { throw Self.unsupported(device, "locked focus") }
            case .focus(.once):
                throw Self.unsupported(device, "focus that is found once")
            case .lensPosition(let position):
                guard let focus = range(.focusPosition), (0...1).contains(position) else {
                    throw Self.unsupported(device, "lens position \(position)")
                }
                // In the kernel's scale, larger values are nearer.
                let length = Double(focus.upperBound) - Double(focus.lowerBound)
                try write(.focusPosition, Int32((Double(focus.upperBound) - position * length).rounded()), device)
            case .exposure(.continuous):
                // Aperture priority, which webcams support; otherwise fully automatic.
                do throws(DeviceError) {
                    try write(.exposureMode, 3, device)
                } catch {
                    try write(.exposureMode, 0, device)
                }
            case .exposure(.locked):
                try write(.exposureMode, 1, device)
            case .exposureBias:
                throw Self.unsupported(device, "exposure bias")
            }
        }

        private func write(_ control: Control, _ value: Int32, _ device: MediaDevice) throws(DeviceError) {
            guard let range = range(control), range.contains(value) else {
                throw Self.unsupported(device, "such control")
            }
            let status = write(control, value)
            guard status == 0 else {
                throw DeviceError(.failed, "\(device.name) refuses: \(String(cString: strerror(status)))")
            }
        }

        static func unsupported(_ device: MediaDevice, _ what: String) -> DeviceError {
            DeviceError(.unsupported, "\(device.name) has no \(what)")
        }

        /// The open kernel node.
        private final class Node {
            private let descriptor: Int32

            init?(_ path: String) {
                descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
                guard descriptor >= 0 else { return nil }
            }

            deinit { close(descriptor) }

            /// `VIDIOC_QUERYCTRL`, with `struct v4l2_queryctrl`.
            func range(_ control: Control) -> ClosedRange<Int32>? {
                withUnsafeTemporaryAllocation(byteCount: 68, alignment: 4) { query in
                    query.initializeMemory(as: UInt8.self, repeating: 0)
                    query.storeBytes(of: control.rawValue, as: UInt32.self)
                    guard let base = query.baseAddress, ioctl(descriptor, 0xc044_5624, base) == 0 else { return nil }
                    let minimum = query.load(fromByteOffset: 40, as: Int32.self)
                    let maximum = query.load(fromByteOffset: 44, as: Int32.self)
                    // V4L2_CTRL_FLAG_DISABLED
                    let isDisabled = query.load(fromByteOffset: 56, as: UInt32.self) & 1 != 0
                    return isDisabled || minimum > maximum ? nil : minimum...maximum
                }
            }

            /// `VIDIOC_S_CTRL`, with `struct v4l2_control`.
            func write(_ control: Control, _ value: Int32) -> Int32 {
                withUnsafeTemporaryAllocation(byteCount: 8, alignment: 4) { bytes in
                    bytes.storeBytes(of: control.rawValue, as: UInt32.self)
                    bytes.storeBytes(of: value, toByteOffset: 4, as: Int32.self)
                    guard let base = bytes.baseAddress else { return EINVAL }
                    return ioctl(descriptor, 0xc008_561c, base) == 0 ? 0 : errno
                }
            }
        }
    }
#endif
