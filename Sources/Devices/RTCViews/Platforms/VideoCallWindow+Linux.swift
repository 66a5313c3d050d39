#if os(Linux)
    import CGTK
    import Glibc
    internal import RTCFrames

    /// A call window: the remote video, the local video in a corner, buttons for microphone, camera and hanging up, and
    /// a status line.
    ///
    /// ```swift
    /// try MainLoop.run {
    ///     let window = try VideoCallWindow(title: "Bob")
    ///     remoteTrack.add(window.remoteView)
    ///     localTrack.add(window.localView)
    ///     for await event in window.events {
    ///         switch event {
    ///         case .microphone(let isOn): audioTrack.isEnabled = isOn
    ///         case .camera(let isOn): localTrack.isEnabled = isOn
    ///         case .hangUp: window.close()
    ///         default: break
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// Keyboard shortcuts: M or Ctrl+D for the microphone, V or Ctrl+E for the camera, C for the next camera, R for
    /// mirroring, Escape or Ctrl+W to hang up.
    @MainActor
    public final class VideoCallWindow {
        /// The view of the remote video. It may be added to a track from any thread.
        public nonisolated let remoteView: VideoView
        /// The view of the local video in the corner, mirrored unless the person switches that off. It is visible while
        /// it has video.
        public nonisolated let localView: VideoView
        /// The actions of the person. The sequence ends when the window is closed. It has one reader.
        public nonisolated let events: AsyncStream<VideoCallWindowEvent>

        private let gtk: GTKLibrary
        private let parts: Parts
        private let continuation: AsyncStream<VideoCallWindowEvent>.Continuation
        private var isClosed = false
        /// Set while the program sets the buttons, whose signals then do not come from the person.
        private var isSettingButtons = false

        /// The longer side of the local video, in logical pixels.
        private static let cornerSide = 208

        /// Opens a window.
        ///
        /// - Parameters:
        ///   - title: The title of the window, such as the name of the peer.
        ///   - size: The initial size in device-independent pixels.
        /// - Throws: ``ViewError`` if GTK is not installed, there is no display, or ``MainLoop`` does not run.
        public init(title: String, size: (width: Int, height: Int) = (960, 580)) throws(ViewError) {
            gtk = try MainLoop.open()
            parts = try Parts(gtk)
            remoteView = VideoView(picture: parts.remote, of: gtk)
            localView = VideoView(picture: parts.local, of: gtk)
            self.title = title
            (events, continuation) = AsyncStream.makeStream(
                of: VideoCallWindowEvent.self, bufferingPolicy: .bufferingNewest(32))
            functions.gtk_window_set_title(parts.window, title)
            functions.gtk_window_set_default_size(
                parts.window, Int32(clamping: size.width), Int32(clamping: size.height))
            connect()
            showIcons()
            showMirror()
            functions.gtk_window_present(parts.window)
        }

        public var title: String {
            didSet { if !isClosed { functions.gtk_window_set_title(parts.window, title) } }
        }

        /// The status line below the video, such as the state of the call and its statistics.
        public var status = "" {
            didSet { if !isClosed, status != oldValue { functions.gtk_label_set_text(parts.status, status) } }
        }

        /// The text that is shown while there is no remote video.
        public var placeholder = "" {
            didSet {
                if !isClosed, placeholder != oldValue { functions.gtk_label_set_text(parts.placeholder, placeholder) }
            }
        }

        /// The verification code of the call, shown in the corner opposite to the local video; hidden if empty.
        public var code = "" {
            didSet {
                guard !isClosed, code != oldValue else { return }
                functions.gtk_label_set_text(parts.code, code)
                functions.gtk_widget_set_visible(parts.code, code.isEmpty ? 0 : 1)
            }
        }

        /// Whether the microphone is shown as on. Setting it causes no event.
        public var isMicrophoneOn = true {
            didSet { setButtons() }
        }

        /// Whether the camera is shown as on. Setting it causes no event. The local video is shown only while it is on.
        public var isCameraOn = true {
            didSet {
                setButtons()
                showCorner()
            }
        }

        /// Whether there is a microphone; otherwise its button is disabled.
        public var hasMicrophone = true {
            didSet { if !isClosed { functions.gtk_widget_set_sensitive(parts.microphone, hasMicrophone ? 1 : 0) } }
        }

        /// Whether there is a camera; otherwise its button is disabled.
        public var hasCamera = true {
            didSet {
                if !isClosed { functions.gtk_widget_set_sensitive(parts.camera, hasCamera ? 1 : 0) }
                showMirror()
            }
        }

        /// Whether the person wants the local video mirrored. Setting it causes no event. ``canMirror`` does not change
        /// it.
        public var isMirrored = true {
            didSet {
                setButtons()
                showMirror()
            }
        }

        /// Whether the local video may be mirrored: not for a camera that faces away from the person. Otherwise it is
        /// not mirrored, and the button is disabled.
        public var canMirror = true {
            didSet { showMirror() }
        }

        /// Whether the large view shows the local video, as in a camera preview.
        public var isPreview = false {
            didSet { showMirror() }
        }

        /// Whether there is a button that switches cameras: see `CameraChoice`.
        public var showsSwitchButton = false {
            didSet {
                if !isClosed { functions.gtk_widget_set_visible(parts.switchCamera, showsSwitchButton ? 1 : 0) }
            }
        }

        /// The devices that the person can choose in a menu, which is hidden if there are none. Setting it causes no
        /// event.
        public var choices: [VideoCallWindowEvent.Device: DeviceChoices] = [:] {
            didSet { if !isClosed, choices != oldValue { showChoices(before: oldValue) } }
        }

        /// Closes the window and ends ``events``. Closing twice does nothing.
        public func close() {
            guard !isClosed else { return }
            isClosed = true
            remoteView.onSize = nil
            localView.onSize = nil
            functions.gtk_window_destroy(parts.window)
            continuation.finish()
        }

        // MARK: Internals

        /// The size of the local video, if there is any.
        private var localSize: (width: Int, height: Int)?

        private var functions: CGTKLibrary { gtk.functions.pointee }

        private func connect() {
            // GTK keeps these closures as long as the window is open, so they must not retain this object.
            gtk.connect(parts.window, "close-request", isHandled: true) { [weak self, gtk, window = parts.window] in
                gtk.functions.pointee.gtk_widget_set_visible(window, 0)
                self?.continuation.yield(.hangUp)
            }
            gtk.connect(parts.switchCamera, "clicked") { [weak self] in self?.continuation.yield(.switchCamera) }
            for device in VideoCallWindowEvent.Device.allCases {
                guard let list = parts.choices[device]?.list else { continue }
                gtk.observe(list, property: "selected") { [weak self] in self?.selected(device) }
            }
            gtk.connect(parts.hangUp, "clicked") { [weak self] in self?.continuation.yield(.hangUp) }
            gtk.connect(parts.microphone, "toggled") { [weak self] in
                self?.toggled { window in
                    window.isMicrophoneOn.toggle()
                    return .microphone(isOn: window.isMicrophoneOn)
                }
            }
            gtk.connect(parts.camera, "toggled") { [weak self] in
                self?.toggled { window in
                    window.isCameraOn.toggle()
                    return .camera(isOn: window.isCameraOn)
                }
            }
            gtk.connect(parts.mirror, "toggled") { [weak self] in
                self?.toggled { window in
                    window.isMirrored.toggle()
                    return .mirror(isOn: window.isMirrored)
                }
            }
            remoteView.onSize = { [weak self] size in
                guard let self else { return }
                functions.gtk_widget_set_visible(parts.placeholder, size == nil ? 1 : 0)
            }
            localView.onSize = { [weak self] size in
                self?.localSize = size
                self?.showCorner()
            }
        }

        private func toggled(_ change: (VideoCallWindow) -> VideoCallWindowEvent) {
            guard !isSettingButtons, !isClosed else { return }
            continuation.yield(change(self))
        }

        private func selected(_ device: VideoCallWindowEvent.Device) {
            guard !isSettingButtons, !isClosed, let list = parts.choices[device]?.list else { return }
            let index = Int(functions.gtk_drop_down_get_selected(list))
            guard let choices = choices[device], choices.names.indices.contains(index), index != choices.used else {
                return
            }
            self.choices[device]?.used = index
            continuation.yield(.choose(device, index: index))
        }

        private func showChoices(before: [VideoCallWindowEvent.Device: DeviceChoices]) {
            isSettingButtons = true
            defer { isSettingButtons = false }
            for (device, part) in parts.choices {
                let now = choices[device] ?? DeviceChoices()
                if now.names != before[device]?.names { setNames(now.names, of: part.list) }
                // GTK_INVALID_LIST_POSITION: none is selected.
                let used = now.used.flatMap { now.names.indices.contains($0) ? UInt32(clamping: $0) : nil }
                functions.gtk_drop_down_set_selected(part.list, used ?? .max)
                functions.gtk_widget_set_visible(part.row, now.names.isEmpty ? 0 : 1)
            }
            let isThere = choices.values.contains { !$0.names.isEmpty }
            functions.gtk_widget_set_visible(parts.devices, isThere ? 1 : 0)
        }

        private func setNames(_ names: [String], of list: OpaquePointer) {
            var strings: [UnsafeMutablePointer<CChar>?] = names.map { strdup($0) }
            strings.append(nil)
            defer { for string in strings { free(string) } }
            let model = strings.withUnsafeBufferPointer { strings in
                strings.withMemoryRebound(to: UnsafePointer<CChar>?.self) {
                    functions.gtk_string_list_new($0.baseAddress)
                }
            }
            functions.gtk_drop_down_set_model(list, model)
            if let model { functions.g_object_unref(UnsafeMutableRawPointer(model)) }
        }

        /// Shows the state in the buttons: a pressed button means off.
        private func setButtons() {
            guard !isClosed else { return }
            isSettingButtons = true
            defer { isSettingButtons = false }
            functions.gtk_toggle_button_set_active(parts.microphone, isMicrophoneOn ? 0 : 1)
            functions.gtk_toggle_button_set_active(parts.camera, isCameraOn ? 0 : 1)
            functions.gtk_toggle_button_set_active(parts.mirror, isMirrored ? 0 : 1)
            showIcons()
        }

        private func showIcons() {
            show(
                isMicrophoneOn ? .microphone : .microphoneOff, isMicrophoneOn ? .white : .dark, in: parts.microphoneIcon
            )
            show(isCameraOn ? .camera : .cameraOff, isCameraOn ? .white : .dark, in: parts.cameraIcon)
            show(isMirrored ? .mirror : .mirrorOff, isMirrored ? .white : .dark, in: parts.mirrorIcon)
            show(.hangUp, .white, in: parts.hangUpIcon)
            show(.switchCamera, .white, in: parts.switchCameraIcon)
            show(.devices, .white, in: parts.devicesIcon)
        }

        private func show(_ icon: CallIcon, _ color: CallIcon.Color, in image: OpaquePointer) {
            // Twice the size, for high-density screens.
            let side = 52
            let pixels = icon.pixels(side: side, color: color)
            let texture = pixels.withUnsafeBytes { bytes in
                let copy = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 16)
                copy.copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
                let held = functions.g_bytes_new_with_free_func(copy, bytes.count, { $0?.deallocate() }, copy)
                defer { functions.g_bytes_unref(held) }
                return functions.gdk_memory_texture_new(Int32(side), Int32(side), 0, held, side * 4)
            }
            functions.gtk_image_set_from_paintable(image, texture)
            if let texture { functions.g_object_unref(UnsafeMutableRawPointer(texture)) }
        }

        /// Mirrors the local video or not, from the next frame on.
        private func showMirror() {
            (isPreview ? remoteView : localView).isMirrored = canMirror && isMirrored
            guard !isClosed else { return }
            functions.gtk_widget_set_sensitive(parts.mirror, canMirror && (hasCamera || isPreview) ? 1 : 0)
        }

        private func showCorner() {
            guard !isClosed else { return }
            if let size = localSize {
                let longer = max(size.width, size.height, 1)
                functions.gtk_widget_set_size_request(
                    parts.corner, Int32(max(48, Self.cornerSide * size.width / longer)),
                    Int32(max(48, Self.cornerSide * size.height / longer)))
            }
            functions.gtk_widget_set_visible(parts.corner, localSize != nil && isCameraOn ? 1 : 0)
        }

        /// The window's widgets, which exist as long as the window.
        private struct Parts {
            let window: OpaquePointer
            let remote: OpaquePointer
            let local: OpaquePointer
            let corner: OpaquePointer
            let placeholder: OpaquePointer
            let code: OpaquePointer
            let status: OpaquePointer
            let microphone: OpaquePointer
            let microphoneIcon: OpaquePointer
            let camera: OpaquePointer
            let cameraIcon: OpaquePointer
            let mirror: OpaquePointer
            let mirrorIcon: OpaquePointer
            let hangUp: OpaquePointer
            let hangUpIcon: OpaquePointer
            let switchCamera: OpaquePointer
            let switchCameraIcon: OpaquePointer
            let devices: OpaquePointer
            let devicesIcon: OpaquePointer
            let choices: [VideoCallWindowEvent.Device: (row: OpaquePointer, list: OpaquePointer)]

            @MainActor private static var isStyled = false

            @MainActor init(_ gtk: GTKLibrary) throws(ViewError) {
                let functions = gtk.functions
                if !Self.isStyled, let provider = functions.pointee.gtk_css_provider_new() {
                    functions.pointee.gtk_css_provider_load_from_data(provider, CallWindowLayout.style, -1)
                    // GTK_STYLE_PROVIDER_PRIORITY_APPLICATION
                    functions.pointee.gtk_style_context_add_provider_for_display(
                        functions.pointee.gdk_display_get_default(), provider, 600)
                    functions.pointee.g_object_unref(UnsafeMutableRawPointer(provider))
                    Self.isStyled = true
                }
                guard let builder = functions.pointee.gtk_builder_new() else {
                    throw ViewError(.failed, "GTK made no builder")
                }
                // GTK itself owns windows until they are destroyed, and each window its widgets.
                defer { functions.pointee.g_object_unref(UnsafeMutableRawPointer(builder)) }
                var error: OpaquePointer?
                guard
                    functions.pointee.gtk_builder_add_from_string(builder, CallWindowLayout.interface, -1, &error) != 0
                else {
                    let reason = error.map { String(cString: cgtk_error_message($0)) } ?? "no reason given"
                    if let error { functions.pointee.g_error_free(error) }
                    throw ViewError(.failed, "GTK does not understand the window: \(reason)")
                }
                func part(_ name: String) throws(ViewError) -> OpaquePointer {
                    guard let object = functions.pointee.gtk_builder_get_object(builder, name) else {
                        throw ViewError(.failed, "the window has no part called \(name)")
                    }
                    return object
                }
                window = try part("window")
                remote = try part("remote")
                local = try part("local")
                corner = try part("corner")
                placeholder = try part("placeholder")
                code = try part("code")
                status = try part("status")
                microphone = try part("microphone")
                microphoneIcon = try part("microphone-icon")
                camera = try part("camera")
                cameraIcon = try part("camera-icon")
                mirror = try part("mirror")
                mirrorIcon = try part("mirror-icon")
                hangUp = try part("hang-up")
                hangUpIcon = try part("hang-up-icon")
                switchCamera = try part("switch-camera")
                switchCameraIcon = try part("switch-camera-icon")
                devices = try part("devices")
                devicesIcon = try part("devices-icon")
                var choices: [VideoCallWindowEvent.Device: (row: OpaquePointer, list: OpaquePointer)] = [:]
                for device in VideoCallWindowEvent.Device.allCases {
                    choices[device] = (
                        try part("\(device.rawValue)-row"), try part("\(device.rawValue)-choice")
                    )
                }
                self.choices = choices
            }
        }
    }
#endif
