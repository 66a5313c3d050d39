internal import NIOCore
internal import NIOPosix

/// The threads that wait for playout and presentation times, for all connections of the process. Started on first use;
/// they sleep while there is nothing to do.
enum MediaThreads {
    /// Plays audio. No other work may delay it.
    static let playout: any EventLoop = playoutGroup.next()
    /// Presents video frames.
    static let presentation: any EventLoop = presentationGroup.next()

    private static let playoutGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private static let presentationGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
}
