#if os(Linux)
    import RTC
    import RTCDevices
    import RTCViews
    import Synchronization
    import WebRTCKit

    /// Opens the window of a call, with GTK.
    enum CallWindow {
        /// - Parameters:
        ///   - local: What is sent.
        ///   - onAction: Called with each action of the person.
        /// - Throws: ``Refusal`` where there cannot be a window.
        @MainActor
        static func open(
            local: LocalMedia, onAction: @escaping @Sendable (CallAction) -> Void
        ) throws(Refusal) -> CallScreen {
            let window: VideoCallWindow
            do {
                window = try VideoCallWindow(title: "Duet")
            } catch {
                throw Refusal("--window: \(error.message)")
            }
            window.hasMicrophone = local.hasMicrophone
            window.hasCamera = local.hasCamera
            window.placeholder = "Nobody is here yet."
            let shown = ShownMenu()
            let events = window.events
            Task {
                for await event in events {
                    switch event {
                    case .microphone(let isOn): onAction(.setMuted(!isOn, .audio))
                    case .camera(let isOn): onAction(.setMuted(!isOn, .video))
                    case .hangUp: onAction(.end)
                    // Only the window mirrors: sent video is never mirrored.
                    case .mirror: break
                    case .switchCamera: onAction(.device(.switchCamera))
                    case .choose(let device, let index):
                        if let command = shown.command(device, index) { onAction(.device(command)) }
                    }
                }
            }
            return CallScreen(
                remote: window.remoteView, local: window.localView,
                begin: { title, status in
                    await MainActor.run {
                        (window.title, window.placeholder, window.status) = (title, title, status)
                    }
                },
                status: { text in await MainActor.run { window.status = text } },
                verification: { status in await MainActor.run { window.code = status.label } },
                devices: { menu in
                    shown.set(menu)
                    await MainActor.run {
                        window.choices = [
                            .camera: menu.cameras.choices, .microphone: menu.microphones.choices,
                            .speaker: menu.speakers.choices,
                        ]
                        window.showsSwitchButton = menu.showsSwitchButton
                        window.canMirror = menu.canMirror
                    }
                },
                end: { text in
                    await MainActor.run {
                        (window.placeholder, window.status, window.code) = (text, "", "")
                        window.remoteView.clear()
                    }
                },
                close: { await MainActor.run { window.close() } })
        }
    }

    /// The devices in the window's menu, by which an index is resolved.
    private final class ShownMenu: Sendable {
        private let menu = Mutex<DeviceMenu?>(nil)

        func set(_ new: DeviceMenu) { menu.withLock { $0 = new } }

        func command(_ device: VideoCallWindowEvent.Device, _ index: Int) -> DeviceCommand? {
            guard let menu = menu.withLock({ $0 }) else { return nil }
            let (media, list): (MediaDevice.Media, DeviceMenu.List) =
                switch device {
                case .camera: (.camera, menu.cameras)
                case .microphone: (.microphone, menu.microphones)
                case .speaker: (.speaker, menu.speakers)
                }
            guard list.identifiers.indices.contains(index) else { return nil }
            return .choose(media, list.identifiers[index])
        }
    }

    extension DeviceMenu.List {
        fileprivate var choices: DeviceChoices { DeviceChoices(names: names, used: used) }
    }
#endif
