#if os(Linux)
    import CGTK
    import Dispatch
    public import RTCFrames
    internal import RTCWire
    internal import Synchronization

    /// Shows video: a GTK widget that is a sink of a track.
    ///
    /// ```swift
    /// let view = try VideoView()
    /// track.add(view)
    /// ```
    ///
    /// The aspect ratio is kept, with black bars, and the rotation of frames is applied; local frames are rotated for
    /// this screen. Frames are converted on a thread of the view. Only the newest frame is shown, and late frames are
    /// dropped before they are converted.
    public final class VideoView: VideoSink, Sendable {
        private struct Picture: @unchecked Sendable {
            let memory: PixelMemory
            let width: Int
            let height: Int
        }

        /// The buffers for rotating frames; used on the view's queue alone.
        private final class ConversionBuffers: @unchecked Sendable {
            let pool = I420BufferPool(capacity: 2)
            let memory = PixelMemoryPool()
        }

        private let gtk: GTKLibrary
        private let picture: GTKObject
        private let newest: NewestFrame<Picture>
        private let shownCount = Atomic(0)
        private let mirroring: Mirroring
        /// Called with the size of a frame in pixels when it differs from that of the frame before, and with `nil` when
        /// the view is cleared.
        @MainActor var onSize: (@MainActor ((width: Int, height: Int)?) -> Void)?
        @MainActor private var size: (width: Int, height: Int)?

        private final class Mirroring: Sendable { let isOn = Atomic(false) }

        /// Calls the main actor without retaining the view.
        private final class Link: Sendable {
            private struct Weak: @unchecked Sendable { weak var view: VideoView? }
            private let view = Mutex(Weak())

            func set(_ view: VideoView) { self.view.withLock { $0.view = view } }

            func show() {
                Task { @MainActor in view.withLock { $0.view }?.show() }
            }
        }

        /// Creates a view.
        ///
        /// - Throws: ``ViewError`` if GTK is not installed, there is no display, or ``MainLoop`` does not run.
        @MainActor public convenience init() throws(ViewError) {
            let gtk = try MainLoop.open()
            guard let widget = gtk.functions.pointee.gtk_picture_new() else {
                throw ViewError(.failed, "GTK made no picture")
            }
            self.init(picture: widget, of: gtk)
        }

        /// - Parameter picture: A `GtkPicture`.
        @MainActor init(picture: OpaquePointer, of gtk: GTKLibrary) {
            self.gtk = gtk
            self.picture = GTKObject(picture, gtk)
            gtk.functions.pointee.gtk_picture_set_can_shrink(picture, 1)
            let (conversionBuffers, link, mirroring) = (ConversionBuffers(), Link(), Mirroring())
            let queue = DispatchQueue(label: "duet.VideoView", qos: .userInteractive)
            self.mirroring = mirroring
            newest = NewestFrame(
                perform: { work in queue.async(execute: work) },
                prepare: {
                    Self.convert($0, in: conversionBuffers, isMirrored: mirroring.isOn.load(ordering: .relaxed))
                },
                show: { link.show() })
            link.set(self)
        }

        /// The `GtkWidget`, to put into your own window. It is valid as long as the view.
        @MainActor public var widget: OpaquePointer { picture.pointer }

        /// Whether the video is mirrored, as people expect of their own. Takes effect with the next frame.
        public var isMirrored: Bool {
            get { mirroring.isOn.load(ordering: .relaxed) }
            set { mirroring.isOn.store(newValue, ordering: .relaxed) }
        }

        /// The number of frames that were shown, and of those that were dropped for newer ones.
        package var counts: (shown: Int, dropped: Int) { (shownCount.load(ordering: .relaxed), newest.dropped) }

        public func deliver(_ frame: VideoFrame) { newest.deliver(frame) }

        /// Shows nothing until the next frame.
        @MainActor public func clear() {
            newest.clear()
            gtk.functions.pointee.gtk_picture_set_paintable(picture.pointer, nil)
            setSize(nil)
        }

        private static func convert(_ frame: VideoFrame, in conversionBuffers: ConversionBuffers, isMirrored: Bool)
            -> Picture?
        {
            let rotation = frame.rotation(isMirrored: isMirrored)
            guard
                let upright = frame.buffer.i420(from: conversionBuffers.pool)?.rotated(
                    rotation, pool: conversionBuffers.pool)
            else { return nil }
            let memory = Self.pixels(of: upright, isMirrored: isMirrored, pool: conversionBuffers.memory)
            return Picture(memory: memory, width: upright.width, height: upright.height)
        }

        /// Converts a frame to blue, green, red and alpha bytes, without padding between rows.
        static func pixels(of picture: I420Buffer, isMirrored: Bool, pool: PixelMemoryPool) -> PixelMemory {
            let memory = pool.take(count: picture.width * picture.height)
            picture.withPlanes { planes in
                var source = CGTKPlanes(
                    y: planes.y.base, u: planes.u.base, v: planes.v.base, stride_y: planes.y.stride,
                    stride_uv: planes.u.stride, width: Int32(planes.width), height: Int32(planes.height))
                cgtk_convert(&source, isMirrored ? 1 : 0, memory.pixels)
            }
            return memory
        }

        @MainActor private func show() {
            guard let shown = newest.takeNewest() else { return }
            // The texture's memory returns to its pool when GTK releases the texture, on any thread.
            let bytes = gtk.functions.pointee.g_bytes_new_with_free_func(
                shown.memory.pixels, shown.memory.count * 4,
                { memory in
                    if let memory { Unmanaged<PixelMemory>.fromOpaque(memory).takeRetainedValue().recycle() }
                }, Unmanaged.passRetained(shown.memory).toOpaque())
            let texture = gtk.functions.pointee.gdk_memory_texture_new(
                Int32(shown.width), Int32(shown.height), Self.format, bytes, shown.width * 4)
            gtk.functions.pointee.gtk_picture_set_paintable(picture.pointer, texture)
            if let texture { gtk.functions.pointee.g_object_unref(UnsafeMutableRawPointer(texture)) }
            gtk.functions.pointee.g_bytes_unref(bytes)
            shownCount.add(1, ordering: .relaxed)
            setSize((shown.width, shown.height))
        }

        @MainActor private func setSize(_ size: (width: Int, height: Int)?) {
            guard size?.width != self.size?.width || size?.height != self.size?.height else { return }
            self.size = size
            onSize?(size)
        }

        /// GDK_MEMORY_B8G8R8A8_PREMULTIPLIED
        private static let format: UInt32 = 0
    }
#endif
