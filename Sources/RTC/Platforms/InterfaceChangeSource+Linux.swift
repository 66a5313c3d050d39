#if os(Linux)
    internal import Glibc
    internal import NIOCore
    internal import NIOPosix

    /// Reports that interfaces or addresses may have changed, from a routing netlink socket.
    ///
    /// What the messages say is not read: any of them means "look again", as does an overrun.
    final class InterfaceChangeSource: Sendable {
        private let channel: EventLoopFuture<any Channel>

        // From linux/netlink.h and linux/rtnetlink.h, which the Glibc module does not show.
        private static let netlinkRoute: CInt = 0
        /// RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV6_IFADDR
        private static let groups: UInt32 = 0x1 | 0x10 | 0x100

        private struct NetlinkAddress {
            var family = sa_family_t(AF_NETLINK)
            var padding: UInt16 = 0
            var port: UInt32 = 0
            var groups = InterfaceChangeSource.groups
        }

        init(on eventLoop: any EventLoop, _ onChange: @escaping @Sendable () -> Void) {
            let descriptor = Self.open()
            guard descriptor >= 0 else {
                channel = eventLoop.makeFailedFuture(SocketError(.system, errorNumber: errno, "No netlink socket."))
                return
            }
            channel = NIOPipeBootstrap(group: eventLoop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(NetlinkReader(onChange))
                    }
                }
                .takingOwnershipOfDescriptor(input: descriptor)
            channel.whenFailure { _ in close(descriptor) }
        }

        func stop() {
            channel.whenSuccess { $0.close(promise: nil) }
        }

        private static func open() -> CInt {
            let flags = CInt(SOCK_RAW.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
            let descriptor = socket(AF_NETLINK, flags, netlinkRoute)
            guard descriptor >= 0 else { return -1 }
            var address = NetlinkAddress()
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<NetlinkAddress>.size))
                }
            }
            guard result == 0 else {
                close(descriptor)
                return -1
            }
            return descriptor
        }
    }

    private final class NetlinkReader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let onChange: @Sendable () -> Void

        init(_ onChange: @escaping @Sendable () -> Void) {
            self.onChange = onChange
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { onChange() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { onChange() }
    }
#endif
