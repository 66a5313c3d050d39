internal import NIOCore
internal import NIOPosix

/// The threads that wait for the moment at which something is to be heard or seen, for all connections of the process.
/// They are begun with the first use, and sleep while there is nothing to do.
enum MediaThreads {
    /// Plays sound out. Nobody else's work may delay it.
    static let playout: any EventLoop = playoutGroup.next()
    /// Gives out pictures.
    static let presentation: any EventLoop = presentationGroup.next()

    private static let playoutGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private static let presentationGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)
}
