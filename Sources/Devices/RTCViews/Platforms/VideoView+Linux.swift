#if os(Linux)
    import CGTK
    import Dispatch
    public import RTCFrames
    internal import RTCWire
    internal import Synchronization

    /// Shows pictures: a GTK widget that is given frames by a track.
    ///
    /// ```swift
    /// let view = try VideoView()
    /// track.add(view)
    /// ```
    ///
    /// Pictures keep their proportions, with black beside them, and are turned as they say, one's own so that they are level on
    /// this screen. They are converted on a thread of the view's own; only the newest is shown, and one that would come too late is left out before any work is
    /// done for it.
    public final class VideoView: VideoSink, Sendable {
        private struct Picture: @unchecked Sendable {
            let memory: PixelMemory
            let width: Int
            let height: Int
        }

        /// The buffers that pictures are turned in; used on the view's thread alone.
        private final class Workshop: @unchecked Sendable {
            let pool = I420BufferPool(capacity: 2)
            let memory = PixelMemoryPool()
        }

        private let gtk: GTKLibrary
        private let picture: GTKObject
        private let newest: NewestPicture<Picture>
        private let shownCount = Atomic(0)
        private let mirroring: Mirroring
        /// Called with the size of a picture in pixels when it differs from that of the one before, and with `nil` when there is
        /// none any more.
        @MainActor var onSize: (@MainActor ((width: Int, height: Int)?) -> Void)?
        @MainActor private var size: (width: Int, height: Int)?

        private final class Mirroring: Sendable { let isOn = Atomic(false) }

        /// Hands over to the main actor, without keeping the view.
        private final class Link: Sendable {
            private struct Weak: @unchecked Sendable { weak var view: VideoView? }
            private let view = Mutex(Weak())

            func set(_ view: VideoView) { self.view.withLock { $0.view = view } }

            func show() {
                Task { @MainActor in view.withLock { $0.view }?.show() }
            }
        }

        /// - Throws: ``ViewError`` when GTK is missing, there is no screen, or ``MainLoop`` does not run.
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
            let (workshop, link, mirroring) = (Workshop(), Link(), Mirroring())
            let queue = DispatchQueue(label: "duet.VideoView", qos: .userInteractive)
            self.mirroring = mirroring
            newest = NewestPicture(
                perform: { work in queue.async(execute: work) },
                prepare: { Self.convert($0, in: workshop, isMirrored: mirroring.isOn.load(ordering: .relaxed)) },
                show: { link.show() })
            link.set(self)
        }

        /// The `GtkWidget` to put into a window of one's own, valid while the view is.
        @MainActor public var widget: OpaquePointer { picture.pointer }

        /// Whether pictures are shown as in a mirror, as people expect their own to be. It holds from the next picture on.
        public var isMirrored: Bool {
            get { mirroring.isOn.load(ordering: .relaxed) }
            set { mirroring.isOn.store(newValue, ordering: .relaxed) }
        }

        /// How many pictures were shown, and how many left out, because newer ones came before their turn.
        public var counts: (shown: Int, dropped: Int) { (shownCount.load(ordering: .relaxed), newest.dropped) }

        public func deliver(_ frame: VideoFrame) { newest.deliver(frame) }

        /// Shows nothing, until the next picture comes.
        @MainActor public func clear() {
            newest.clear()
            gtk.functions.pointee.gtk_picture_set_paintable(picture.pointer, nil)
            setSize(nil)
        }

        private static func convert(_ frame: VideoFrame, in workshop: Workshop, isMirrored: Bool) -> Picture? {
            let rotation = frame.rotation(isMirrored: isMirrored)
            guard let upright = frame.buffer.i420(from: workshop.pool)?.rotated(rotation, pool: workshop.pool)
            else { return nil }
            let memory = Self.pixels(of: upright, isMirrored: isMirrored, pool: workshop.memory)
            return Picture(memory: memory, width: upright.width, height: upright.height)
        }

        /// The picture as blue, green, red and alpha, without gaps between rows.
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
            // What is used by the texture goes back when GTK lets the texture go, on whichever thread.
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
