#if os(Linux)
    import ArgumentParser
    import RTCViews

    /// Windows belong to the first thread, which runs their main loop and the main actor; commands run elsewhere.
    @main
    enum Program {
        @MainActor static func main() throws {
            try MainLoop.run { await Duet.main() }
        }
    }
#endif
