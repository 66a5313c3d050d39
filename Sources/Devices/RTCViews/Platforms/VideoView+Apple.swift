#if canImport(AVFoundation)
    public import AVFoundation
    import CoreMedia
    import CoreVideo
    public import RTCFrames
    import RTCWire

    /// Shows video: a display layer that is a sink of a track.
    ///
    /// ```swift
    /// let view = try VideoView()
    /// track.add(view)
    /// ```
    ///
    /// ``VideoPicture`` shows it in SwiftUI, ``FrameView`` in UIKit and AppKit. The aspect ratio is kept: see
    /// ``scaling``. Only the newest frame is shown; a `CVPixelBuffer` is shown without a copy.
    public final class VideoView: VideoSink, @unchecked Sendable {
        private struct Picture: @unchecked Sendable {
            let buffer: CoreVideoBuffer
            /// The rotation without and with mirroring.
            let rotation: (plain: VideoRotation, mirrored: VideoRotation)
        }

        /// The buffers for converting frames; used by one thread at a time.
        private final class ConversionBuffers: @unchecked Sendable {
            let pool = I420BufferPool(capacity: 2)
        }

        /// Calls the main actor without retaining the view.
        private final class Link: @unchecked Sendable {
            private let lock = Lock()
            private weak var view: VideoView?

            func set(_ view: VideoView) { lock.withLock { self.view = view } }

            func show() {
                Task { @MainActor in lock.withLock { view }?.show() }
            }
        }

        /// The layer, which the main actor owns.
        @MainActor private final class Display {
            let layer = AVSampleBufferDisplayLayer()
            var renderer: AVSampleBufferVideoRenderer { layer.sampleBufferRenderer }

            init() { layer.videoGravity = .resizeAspect }
        }

        private let lock = Lock()
        private var mirrors = false
        private var shownCount = 0
        private let newest: NewestFrame<Picture>
        private let display: Display
        /// The rotation of the current frame, before mirroring.
        @MainActor var rotation: VideoRotation { isMirrored ? rotations.mirrored : rotations.plain }
        @MainActor private var rotations = (plain: VideoRotation.none, mirrored: VideoRotation.none)
        /// In pixels, before rotation.
        @MainActor private var size = (width: 0, height: 0)
        /// Called when the rotation, the mirroring or the size changes.
        @MainActor var onChange: (@MainActor () -> Void)?

        @MainActor public init() throws(ViewError) {
            display = Display()
            let conversionBuffers = ConversionBuffers()
            let link = Link()
            newest = NewestFrame(
                perform: { $0() }, prepare: { Self.convert($0, in: conversionBuffers) }, show: { link.show() })
            link.set(self)
        }

        deinit {
            // The last holder may be a track on any thread; the layer must be released on the main one.
            let display = display
            Task { @MainActor in withExtendedLifetime(display) {} }
        }

        /// The layer that shows the frames, without rotation: ``FrameView`` rotates it.
        @MainActor public var layer: AVSampleBufferDisplayLayer { display.layer }

        /// Whether the video is mirrored, as people expect of their own.
        public var isMirrored: Bool {
            get { lock.withLock { mirrors } }
            set {
                lock.withLock { mirrors = newValue }
                Task { @MainActor in onChange?() }
            }
        }

        /// Whether the video fits or fills the layer.
        @MainActor public var scaling: VideoScaling {
            get { display.layer.videoGravity == .resizeAspectFill ? .fill : .fit }
            set { display.layer.videoGravity = newValue == .fill ? .resizeAspectFill : .resizeAspect }
        }

        /// The aspect ratio of the newest frame as it is shown; `nil` before the first one.
        @MainActor public var shape: VideoAspectRatio? {
            VideoAspectRatio(width: size.width, height: size.height, rotation: rotation)
        }

        /// The number of frames that were shown, and of those that were dropped for newer ones.
        package var counts: (shown: Int, dropped: Int) { (lock.withLock { shownCount }, newest.dropped) }

        public func deliver(_ frame: VideoFrame) { newest.deliver(frame) }

        /// Shows nothing until the next frame.
        @MainActor public func clear() {
            newest.clear()
            display.renderer.flush(removingDisplayedImage: true, completionHandler: nil)
        }

        private static func convert(_ frame: VideoFrame, in conversionBuffers: ConversionBuffers) -> Picture? {
            let rotation = (plain: frame.rotation(isMirrored: false), mirrored: frame.rotation(isMirrored: true))
            if let buffer = frame.buffer as? CoreVideoBuffer { return Picture(buffer: buffer, rotation: rotation) }
            guard let picture = frame.buffer.i420(from: conversionBuffers.pool),
                let buffer = CoreVideoBuffer(copying: picture, width: picture.width, height: picture.height)
            else { return nil }
            return Picture(buffer: buffer, rotation: rotation)
        }

        @MainActor private func show() {
            guard let picture = newest.takeNewest(), let sample = Self.sample(of: picture.buffer.pixelBuffer) else {
                return
            }
            let newSize = (width: picture.buffer.width, height: picture.buffer.height)
            if picture.rotation != rotations || newSize != size {
                (rotations, size) = (picture.rotation, newSize)
                onChange?()
            }
            // After the app was in the background, the layer has to be flushed before it decodes again.
            let renderer = display.renderer
            if renderer.requiresFlushToResumeDecoding || renderer.status == .failed { renderer.flush() }
            renderer.enqueue(sample)
            lock.withLock { shownCount += 1 }
        }

        /// Creates a sample to be shown immediately.
        private static func sample(of buffer: CVPixelBuffer) -> CMSampleBuffer? {
            var format: CMVideoFormatDescription?
            guard
                CMVideoFormatDescriptionCreateForImageBuffer(
                    allocator: nil, imageBuffer: buffer, formatDescriptionOut: &format) == 0,
                let format
            else { return nil }
            var timing = CMSampleTimingInfo(
                duration: .invalid, presentationTimeStamp: CMClockGetTime(CMClockGetHostTimeClock()),
                decodeTimeStamp: .invalid)
            var sample: CMSampleBuffer?
            guard
                CMSampleBufferCreateReadyWithImageBuffer(
                    allocator: nil, imageBuffer: buffer, formatDescription: format, sampleTiming: &timing,
                    sampleBufferOut: &sample) == 0
            else { return nil }
            return sample
        }
    }
#endif
