#if !os(Linux)
    import Foundation

    /// The system's own run loop serves the main actor.
    @main
    enum Program {
        static func main() async { exit(await Demo.run()) }
    }
#endif
