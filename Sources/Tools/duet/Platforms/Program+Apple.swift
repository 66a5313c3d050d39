#if !os(Linux)
    import ArgumentParser

    /// The system's own run loop serves the main actor.
    @main
    enum Program {
        static func main() async { await Duet.main() }
    }
#endif
