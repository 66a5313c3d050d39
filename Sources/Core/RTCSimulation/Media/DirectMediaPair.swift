internal import RTCMedia
package import RTCPeer
package import RTCTransport
package import RTCWire

/// Two peers without a network in between, one of which sends video and audio, to measure the cost of the peers alone.
///
/// A step lasts 20 ms and has separate phases: media goes in, the sender's datagrams come out, the receiver processes
/// them, and its answers go back. So each phase can be measured by itself.
package final class DirectMediaPair {
    package private(set) var now = Instant(nanoseconds: 1_000_000_000)
    package let sender: Box
    package let receiver: Box
    /// The datagrams sent in this step, back to back.
    private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 << 20, alignment: 64)
    private var used = 0
    private var sizes: [Int] = []
    private let batchMemory = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 64)

    package final class Box {
        package var peer: Peer
        let address: TransportAddress
        package fileprivate(set) var pictures = 0
        package var needsKeyFrame = false

        init(_ peer: consuming Peer, address: TransportAddress) {
            self.peer = peer
            self.address = address
        }
    }

    /// - Parameter crypto: The cryptography of both peers; by default the stand-in.
    package init(
        _ capabilities: MediaCapabilities,
        crypto: ((_ side: SimulatedSide) throws -> (any CryptoProvider, any LocalCertificate))? = nil
    ) throws {
        func box(_ side: UInt64) throws -> Box {
            let standIn = StandInCrypto(seed: side + 1)
            let (crypto, certificate) =
                try crypto?(side == 0 ? .alice : .bob) ?? (standIn, standIn.makeCertificate())
            var configuration = PeerConfiguration(certificate: certificate)
            configuration.negotiation = .perfect(isPolite: side == 1)
            configuration.media = capabilities
            configuration.startBitrate = .megabits(10)
            let peer = Peer(configuration: configuration, crypto: crypto, random: SeededRandom(seed: side + 7))
            return Box(peer, address: TransportAddress(ip: IPAddress(10, 0, 0, UInt8(side + 1)), port: 4_000))
        }
        (sender, receiver) = (try box(0), try box(1))
        sizes.reserveCapacity(4_096)
    }

    deinit {
        memory.deallocate()
        batchMemory.deallocate()
    }

    /// Exchanges all datagrams until both peers are silent; then advances by `time`, from deadline to deadline.
    package func run(for time: TimeDelta = .zero) {
        let end = now + time
        while true {
            while transmit(sender) > 0 || transmit(receiver) > 0 || takeEvents() {}
            let next = [sender, receiver].compactMap { $0.peer.nextDeadline }.min() ?? .distantFuture
            guard next <= end else { break }
            now = max(now, next)
            for box in [sender, receiver] { box.peer.handleTimeout(at: now) }
        }
        now = max(now, end)
    }

    /// Collects the datagrams that the sender sends within 20 ms, in memory.
    ///
    /// - Returns: The number of datagrams.
    package func collect() -> Int {
        sizes.removeAll(keepingCapacity: true)
        used = 0
        let end = now + .milliseconds(20)
        while true {
            var batch = TransmitBatch(batchMemory)
            while sender.peer.pollTransmit(into: &batch, at: now) {
                keep(batch)
                batch.removeAll()
            }
            guard let next = sender.peer.nextDeadline, next <= end else { break }
            now = max(now, next)
            sender.peer.handleTimeout(at: now)
        }
        now = max(now, end)
        return sizes.count
    }

    private func keep(_ batch: borrowing TransmitBatch) {
        var offset = 0
        while offset < batch.byteCount, used + batch.segmentSize <= memory.count {
            let end = min(offset + batch.segmentSize, batch.byteCount)
            let datagram = UnsafeRawBufferPointer(rebasing: batch.memory[offset..<end])
            UnsafeMutableRawBufferPointer(rebasing: memory[used...]).copyMemory(from: datagram)
            used += datagram.count
            sizes.append(datagram.count)
            offset = end
        }
    }

    /// Passes the collected datagrams to the receiver.
    package func deliver() {
        let path = TransportPath(socket: SocketID(1), remote: sender.address)
        var offset = 0
        for size in sizes {
            let datagram = UnsafeRawBufferPointer(rebasing: memory[offset..<offset + size])
            receiver.peer.receive(RawSpan(_unsafeBytes: datagram), on: path, at: now)
            offset += size
        }
    }

    /// Passes the datagrams of `box` to the other side.
    ///
    /// - Returns: The number of datagrams.
    package func transmit(_ box: Box) -> Int {
        let other = box === sender ? receiver : sender
        var batch = TransmitBatch(batchMemory)
        var count = 0
        while box.peer.pollTransmit(into: &batch, at: now) {
            let path = TransportPath(socket: SocketID(1), remote: box.address)
            var offset = 0
            while offset < batch.byteCount {
                let end = min(offset + batch.segmentSize, batch.byteCount)
                let datagram = UnsafeRawBufferPointer(rebasing: batch.memory[offset..<end])
                other.peer.receive(RawSpan(_unsafeBytes: datagram), on: path, at: now)
                count += 1
                offset = end
            }
            batch.removeAll()
        }
        return count
    }

    /// Handles the events of both peers.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    package func takeEvents() -> Bool {
        var isBusy = false
        for box in [sender, receiver] {
            while let event = box.peer.pollEvent() {
                isBusy = true
                switch event {
                case .needsSockets:
                    box.peer.addSocket(SocketID(1), address: box.address, properties: ICESocketProperties(), at: now)
                    box.peer.endOfSockets(at: now)
                case .signal(let signal):
                    try? (box === sender ? receiver : sender).peer.receive(signal, at: now)
                case .videoFrame: box.pictures += 1
                case .keyFrameRequested: box.needsKeyFrame = true
                default: break
                }
            }
        }
        return isBusy
    }
}
