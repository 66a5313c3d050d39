import ArgumentParser
import DuetShell
import Foundation
import RTCDevices
import RTCFrames
import RTCWire
import Synchronization

/// Requests permission, finds and opens a camera, and reports errors.
enum CameraRun {
    /// - Parameter body: Uses the camera; returns an error message if it failed.
    static func run(
        _ options: CameraOptions, _ body: (MediaDevice, CameraSession) async throws -> String?
    ) async throws {
        let failure: String?
        do {
            try await MediaAuthorization.request(for: .video)
            let list = try DeviceList()
            let device = try choose(options.camera, .camera, in: list)
            let session = CameraSession(device, list)
            TerminationSignals.onTermination { session.end() }
            try await session.open(options.request())
            do {
                failure = try await body(device, session)
            } catch {
                await session.close()
                throw error
            }
            await session.close()
        } catch let error as DeviceError {
            throw Refusal.exit(error.message)
        }
        if let failure {
            Refusal.say(failure)
            throw ExitCode(1)
        }
    }

    /// - Parameter selection: An identifier, a name, or the beginning of a name.
    static func choose(
        _ selection: String?, _ media: MediaDevice.Media, in list: DeviceList
    ) throws(DeviceError) -> MediaDevice {
        let devices = list.devices.filter { $0.media == media }
        let found: MediaDevice?
        if let selection {
            found =
                devices.first { $0.id.rawValue == selection } ?? devices.first { $0.name == selection }
                ?? devices.first { $0.name.lowercased().hasPrefix(selection.lowercased()) }
        } else if media == .camera {
            // By the rules and the history of calls.
            var choice = CameraChoice(history: CameraHistoryFile(app: "duet")?.load() ?? CameraHistory())
            choice.update(devices)
            found = choice.current ?? devices.first { $0.isReady } ?? devices.first
        } else {
            found = devices.first { $0.isReady } ?? devices.first
        }
        if let found { return found }
        let others = devices.map { "“\($0.name)” [\($0.id.rawValue)]" }.joined(separator: ", ")
        let what = selection.map { "there is no \(media.rawValue) called “\($0)”" } ?? "there is no \(media.rawValue)"
        throw DeviceError(.notFound, "\(what); \(others.isEmpty ? "plug one in" : "there is \(others)")")
    }
}

/// An open camera, from its first frame to its end.
final class CameraSession: Sendable {
    private struct State {
        var camera: (any CameraCapture)?
        var rotation: (any RotationBackend)?
        var impatience: Task<Void, any Error>?
    }

    private let device: MediaDevice
    private let list: DeviceList
    private let state = Mutex(State())
    private let ends: AsyncStream<String?>
    private let ending: AsyncStream<String?>.Continuation
    /// Ends with the first frame.
    private let waiting: AsyncStream<Void>
    private let firstPicture: AsyncStream<Void>.Continuation

    init(_ device: MediaDevice, _ list: DeviceList) {
        self.device = device
        self.list = list
        (ends, ending) = AsyncStream.makeStream(of: String?.self)
        (waiting, firstPicture) = AsyncStream.makeStream(of: Void.self)
    }

    func open(_ request: CaptureRequest) async throws(DeviceError) {
        let camera = try await DeviceSystem.ofMachine.capture.openCamera(
            device, format: device.captureFormat(nearestTo: request)
        ) { [ending, device] event in
            switch event {
            case .disconnected: ending.yield("\(device.name) was pulled out")
            case .failed(let error): ending.yield(error.message)
            case .interrupted, .resumed: break
            }
        }
        let rotation = DeviceSystem.ofMachine.rotation?(device)
        state.withLock { ($0.camera, $0.rotation) = (camera, rotation) }
    }

    /// Delivers frames with the rotation that makes them upright.
    func start(delivering sink: any VideoSink) {
        let (camera, rotation) = state.withLock { ($0.camera, $0.rotation) }
        let turned = TurnedSink(sink, rotation?.angles.capture ?? .none) { [firstPicture] in firstPicture.finish() }
        rotation?.start { turned.rotation = $0.capture }
        let impatience = Task { [ending, turned] in
            try await Task.sleep(for: .seconds(15))
            if !turned.hasDelivered { ending.yield("no picture came within 15 seconds") }
        }
        state.withLock { $0.impatience = impatience }
        camera?.start(delivering: turned)
    }

    /// Opens the microphone for a recording; `nil` if it is `none`, or there is none.
    func openMicrophone(
        _ selection: String?, beside camera: MediaDevice
    ) async throws(DeviceError) -> (any MicrophoneCapture)? {
        guard selection != "none" else { return nil }
        let microphones = list.microphones
        guard selection != nil || !microphones.isEmpty else { return nil }
        // The camera's own microphone, if it has one.
        let beside = microphones.first { $0.group != nil && $0.group == camera.group }
        let device: MediaDevice
        if selection == nil, let beside {
            device = beside
        } else {
            device = try CameraRun.choose(selection, .microphone, in: list)
        }
        return try await DeviceSystem.ofMachine.capture.openMicrophone(device, processing: .none) { _ in }
    }

    /// Ends the session, by request of the person.
    func end() { ending.yield(nil) }

    /// - Parameter fromFirstPicture: Whether the time begins with the first frame, and not now.
    /// - Returns: An error message; `nil` if the time is over or the session was ended.
    func wait(atMost limit: Duration?, fromFirstPicture: Bool = false) async -> String? {
        let timer = limit.map { limit in
            Task { [ending, waiting] in
                if fromFirstPicture { for await _ in waiting {} }
                try await Task.sleep(for: limit)
                ending.yield(nil)
            }
        }
        defer { timer?.cancel() }
        for await end in ends { return end }
        return nil
    }

    func close() async {
        let (camera, rotation, impatience) = state.withLock { ($0.camera, $0.rotation, $0.impatience) }
        impatience?.cancel()
        rotation?.stop()
        await camera?.close()
        list.stop()
    }
}

/// Sets the rotation of frames.
private final class TurnedSink: VideoSink {
    private let sink: any VideoSink
    private let onFirst: @Sendable () -> Void
    private let state: Mutex<(rotation: VideoRotation, hasDelivered: Bool)>

    init(_ sink: any VideoSink, _ rotation: VideoRotation, onFirst: @escaping @Sendable () -> Void) {
        self.sink = sink
        self.onFirst = onFirst
        state = Mutex((rotation, false))
    }

    var rotation: VideoRotation {
        get { state.withLock { $0.rotation } }
        set { state.withLock { $0.rotation = newValue } }
    }

    var hasDelivered: Bool { state.withLock { $0.hasDelivered } }

    func deliver(_ frame: VideoFrame) {
        var frame = frame
        let isFirst = state.withLock { state in
            frame.rotation = state.rotation
            defer { state.hasDelivered = true }
            return !state.hasDelivered
        }
        if isFirst { onFirst() }
        sink.deliver(frame)
    }
}

/// Stores one frame, after skipping some.
final class FramePicker: VideoSink {
    private let state: Mutex<(skip: Int, frame: VideoFrame?)>
    private let onFrame: @Sendable () -> Void

    init(skip: Int, onFrame: @escaping @Sendable () -> Void) {
        state = Mutex((skip, nil))
        self.onFrame = onFrame
    }

    var frame: VideoFrame? { state.withLock { $0.frame } }

    func deliver(_ frame: VideoFrame) {
        let isIt = state.withLock { state in
            guard state.frame == nil else { return false }
            guard state.skip <= 0 else {
                state.skip -= 1
                return false
            }
            state.frame = frame
            return true
        }
        if isIt { onFrame() }
    }
}
