#if os(Linux)
    internal import Glibc
    internal import NIOCore
    internal import NIOPosix
    internal import Synchronization

    /// Reports that interfaces or addresses may have changed, from a routing netlink socket.
    ///
    /// The messages are not parsed: any of them means that something may have changed. If the kernel drops some because
    /// there are too many, NIO closes the socket; then the addresses are read again too, and a new socket is opened.
    final class InterfaceChangeSource: Sendable {
        private enum State {
            case running((any Channel)?)
            case stopped
        }

        private let state = Mutex(State.running(nil))
        private let eventLoop: any EventLoop
        private let onChange: @Sendable () -> Void

        // From linux/netlink.h and linux/rtnetlink.h, which the Glibc module does not contain.
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
            self.eventLoop = eventLoop
            self.onChange = onChange
            start()
        }

        func stop() {
            let channel: (any Channel)? = state.withLock { state in
                defer { state = .stopped }
                if case .running(let channel) = state { return channel }
                return nil
            }
            channel?.close(promise: nil)
        }

        private func start() {
            let descriptor = Self.open()
            // A sandbox may forbid netlink: calls continue without change reports.
            guard descriptor >= 0 else { return }
            NIOPipeBootstrap(group: eventLoop)
                .channelInitializer { [onChange] channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(NetlinkReader(onChange))
                    }
                }
                .takingOwnershipOfDescriptor(input: descriptor)
                .whenComplete { [weak self] result in
                    switch result {
                    case .success(let channel): self?.watch(channel) ?? channel.close(promise: nil)
                    case .failure: close(descriptor)
                    }
                }
        }

        private func watch(_ channel: any Channel) {
            let isRunning = state.withLock { state in
                guard case .running = state else { return false }
                state = .running(channel)
                return true
            }
            guard isRunning else { return channel.close(promise: nil) }
            channel.closeFuture.whenComplete { [weak self] _ in
                guard let self else { return }
                let isRunning = state.withLock { if case .running = $0 { true } else { false } }
                guard isRunning else { return }
                onChange()
                eventLoop.scheduleTask(in: .seconds(1)) { [weak self] in self?.start() }
            }
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
    }
#endif
