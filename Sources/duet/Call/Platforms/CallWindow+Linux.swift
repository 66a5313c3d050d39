#if os(Linux)
    import RTC
    import RTCViews
    import WebRTCKit

    /// Opens the window of a call, by GTK.
    enum CallWindow {
        /// - Parameters:
        ///   - local: What is sent.
        ///   - onWish: Called with what the person wants.
        /// - Throws: ``CallRefusal`` where there cannot be a window.
        @MainActor
        static func open(
            local: LocalMedia, onWish: @escaping @Sendable (CallWish) -> Void
        ) throws(CallRefusal) -> CallScreen {
            let window: VideoCallWindow
            do {
                window = try VideoCallWindow(title: "Duet")
            } catch {
                throw CallRefusal("--window: \(error.message)")
            }
            window.hasMicrophone = local.audio != nil
            window.hasCamera = local.video != nil
            window.placeholder = "Nobody is here yet."
            let events = window.events
            Task {
                for await event in events {
                    switch event {
                    case .microphone(let isOn): onWish(.setMuted(!isOn, .audio))
                    case .camera(let isOn): onWish(.setMuted(!isOn, .video))
                    case .hangUp: onWish(.end)
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
                end: { text in
                    await MainActor.run {
                        (window.placeholder, window.status, window.code) = (text, "", "")
                        window.remoteView.clear()
                    }
                },
                close: { await MainActor.run { window.close() } })
        }
    }
#endif
