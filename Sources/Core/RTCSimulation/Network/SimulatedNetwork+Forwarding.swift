import RTCWire

/// Moves datagrams out of queues, along links, and through gateways.
extension SimulatedNetwork {
    /// The most gateways on a path; more indicate a loop.
    private static var maximumHops: UInt8 { 16 }

    /// Processes all events due by `time`.
    mutating func advance(to time: Instant) {
        while let due = events.next, let event = events.popFirst(through: time) {
            now = max(now, due)
            switch event {
            case .transmitted(let link, let generation): finishTransmission(of: Int(link), generation)
            case .arrived(let link, let packet): leave(link: Int(link), Int(packet))
            case .changed(let link, let conditions):
                links[Int(link)].conditions = scheduledConditions[Int(conditions)]
                restartTransmission(of: Int(link))
            }
        }
        now = max(now, time)
    }

    // MARK: Links

    mutating func enter(link: Int, _ slot: Int) {
        links[link].statistics.entered += 1
        guard links[link].conditions.isUp else {
            links[link].statistics.refused += 1
            return release(slot)
        }
        guard packets[slot].payload.count <= links[link].conditions.maximumDatagramSize else {
            links[link].statistics.tooLarge += 1
            return release(slot)
        }
        guard links[link].policerAdmits(packets[slot].payload.count + links[link].conditions.overhead, at: now) else {
            links[link].statistics.policed += 1
            return release(slot)
        }
        guard links[link].conditions.bandwidth != nil || links[link].isTransmitting else {
            return propagate(slot, on: link)
        }
        guard links[link].isTransmitting else {
            links[link].queue.append(Int32(slot))
            return startTransmission(of: link)
        }
        let bytes = packets[slot].payload.count + links[link].conditions.overhead
        guard links[link].queueFits(bytes) else {
            links[link].statistics.queueFull += 1
            return release(slot)
        }
        links[link].queue.append(Int32(slot))
        links[link].queuedBytes += bytes
        links[link].statistics.longestQueue = max(links[link].statistics.longestQueue, links[link].queuedBytes)
    }

    /// Starts to send the first datagram of the queue; its bytes no longer count as queued.
    private mutating func startTransmission(of link: Int) {
        guard let slot = links[link].queue.first else { return }
        let bytes = packets[Int(slot)].payload.count + links[link].conditions.overhead
        let time = links[link].conditions.bandwidth?.time(toSend: bytes) ?? .zero
        links[link].isTransmitting = true
        events.insert(
            .transmitted(link: Int32(link), generation: links[link].generation), at: now + time)
    }

    private mutating func finishTransmission(of link: Int, _ generation: UInt32) {
        guard generation == links[link].generation, let slot = links[link].queue.popFirst() else { return }
        links[link].isTransmitting = false
        if let next = links[link].queue.first {
            links[link].queuedBytes -= packets[Int(next)].payload.count + links[link].conditions.overhead
            startTransmission(of: link)
        }
        propagate(Int(slot), on: link)
    }

    /// Applies changed conditions to the datagram being sent and to the queue.
    mutating func restartTransmission(of link: Int) {
        guard links[link].isTransmitting else { return }
        links[link].generation &+= 1
        guard links[link].conditions.isUp else {
            links[link].isTransmitting = false
            links[link].queuedBytes = 0
            while let slot = links[link].queue.popFirst() {
                links[link].statistics.refused += 1
                release(Int(slot))
            }
            return
        }
        // The overhead may have changed.
        links[link].queuedBytes = 0
        for place in 1..<max(1, links[link].queue.count) {
            let slot = Int(links[link].queue[place])
            links[link].queuedBytes += packets[slot].payload.count + links[link].conditions.overhead
        }
        startTransmission(of: link)
    }

    /// Handles a datagram between the queue and the end of the link.
    private mutating func propagate(_ slot: Int, on link: Int) {
        if links[link].losesNext() {
            links[link].statistics.lost += 1
            return release(slot)
        }
        if links[link].random.chance(links[link].conditions.duplication) {
            links[link].statistics.duplicated += 1
            let copy = takeSlot()
            packets[copy].source = packets[slot].source
            packets[copy].destination = packets[slot].destination
            packets[copy].sent = packets[slot].sent
            packets[copy].hops = packets[slot].hops
            packets[copy].payload.append(contentsOf: packets[slot].payload)
            travel(slot, on: link)
            return travel(copy, on: link)
        }
        travel(slot, on: link)
    }

    private mutating func travel(_ slot: Int, on link: Int) {
        if links[link].random.chance(links[link].conditions.corruption), !packets[slot].payload.isEmpty {
            links[link].statistics.corrupted += 1
            let bit = Int(links[link].random.below(UInt64(packets[slot].payload.count) * 8))
            packets[slot].payload[bit / 8] ^= 1 << UInt8(bit % 8)
        }
        links[link].statistics.passed += 1
        links[link].statistics.passedBytes += packets[slot].payload.count + links[link].conditions.overhead
        let arrival = links[link].arrival(ofDatagramSentAt: now)
        if arrival <= now {
            leave(link: link, slot)
        } else {
            events.insert(.arrived(link: Int32(link), packet: Int32(slot)), at: arrival)
        }
    }

    private mutating func leave(link: Int, _ slot: Int) {
        switch links[link].exit {
        case .realm(let realm): route(slot, in: realm)
        case .gateway(let gateway): passInwards(slot, through: gateway)
        case .interface(let interface): deliver(slot, to: interface)
        }
    }

    // MARK: Routing

    private mutating func route(_ slot: Int, in realm: Int) {
        let destination = packets[slot].destination.ip
        if !blockedPairs.isEmpty,
            blockedPairs.contains(AddressPair(from: packets[slot].source.ip, to: destination))
        {
            statistics.blocked += 1
            return release(slot)
        }
        packets[slot].hops += 1
        guard packets[slot].hops <= Self.maximumHops else {
            statistics.tooManyHops += 1
            return release(slot)
        }
        switch realms[realm].routes[destination] {
        case .interface(let interface): enter(link: interfaces[interface].uplink + 1, slot)
        case .gateway(let gateway): enter(link: gateways[gateway].uplink + 1, slot)
        case nil:
            if let gateway = realms[realm].gateway { return passOutwards(slot, through: gateway) }
            statistics.unroutable += 1
            release(slot)
        }
    }

    private mutating func passOutwards(_ slot: Int, through gateway: Int) {
        guard gateways[gateway].firewall != .blocksUDP else {
            statistics.filteredByFirewall += 1
            return release(slot)
        }
        let source = packets[slot].source
        let destination = packets[slot].destination
        guard gateways[gateway].translates(source) else {
            gateways[gateway].noteOutbound(from: source, to: destination, at: now)
            return enter(link: gateways[gateway].uplink, slot)
        }
        let isHairpin = destination.ip == gateways[gateway].address
        if isHairpin, gateways[gateway].nat?.hairpins != true {
            statistics.refusedHairpins += 1
            return release(slot)
        }
        switch gateways[gateway].translateOutbound(from: source, to: destination, at: now) {
        case .success(let external): packets[slot].source = external
        case .failure:
            statistics.portsExhausted += 1
            return release(slot)
        }
        if isHairpin { passInwards(slot, through: gateway) } else { enter(link: gateways[gateway].uplink, slot) }
    }

    private mutating func passInwards(_ slot: Int, through gateway: Int) {
        let source = packets[slot].source
        let destination = packets[slot].destination
        guard gateways[gateway].firewall != .blocksUDP else {
            statistics.filteredByFirewall += 1
            return release(slot)
        }
        if gateways[gateway].nat != nil, destination.ip.isIPv4 {
            // A datagram to a former address of the gateway is lost.
            guard destination.ip == gateways[gateway].address,
                case .success(let inside) = gateways[gateway].translateInbound(
                    to: destination.port, from: source, at: now)
            else {
                statistics.filteredByNAT += 1
                return release(slot)
            }
            packets[slot].destination = inside
        } else if !gateways[gateway].admitsInbound(from: source, to: destination, at: now) {
            statistics.filteredByFirewall += 1
            return release(slot)
        }
        // Without translation, the gateway's own address belongs to no inside host.
        guard packets[slot].destination.ip != gateways[gateway].address else {
            statistics.unroutable += 1
            return release(slot)
        }
        route(slot, in: gateways[gateway].inner)
    }

    private mutating func deliver(_ slot: Int, to interface: Int) {
        let host = interfaces[interface].host
        guard hosts[host].interfaces.contains(interface) else {
            statistics.unroutable += 1
            return release(slot)
        }
        if let port = hosts[host].stunPort {
            let source = packets[slot].source
            guard packets[slot].destination.port == port,
                SimulatedSTUNServer.answer(&packets[slot].payload, from: source)
            else { return release(slot) }
            statistics.stunAnswers += 1
            packets[slot].source = packets[slot].destination
            packets[slot].destination = source
            packets[slot].sent = now
            packets[slot].hops = 0
            return enter(link: interfaces[interface].uplink, slot)
        }
        statistics.delivered += 1
        arrived.append(Arrival(slot: Int32(slot), host: Int32(host), time: now))
    }

    // MARK: Memory

    /// Returns an empty slot.
    mutating func takeSlot() -> Int {
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = Int(free)
        } else {
            let nobody = TransportAddress(ip: IPAddress(v4: 0), port: 0)
            packets.append(Packet(source: nobody, destination: nobody, sent: now, hops: 0, payload: []))
            slot = packets.count - 1
        }
        if packets[slot].payload.capacity == 0, let spare = spareArrays.popLast() { packets[slot].payload = spare }
        packets[slot].payload.removeAll(keepingCapacity: true)
        return slot
    }

    private mutating func release(_ slot: Int) {
        freeSlots.append(Int32(slot))
    }

    mutating func noteTraffic(
        _ datagram: UnsafeRawBufferPointer, _ source: TransportAddress, _ destination: TransportAddress
    ) {
        var hash = StandInHash(state: trafficFingerprint)
        hash.absorb(UInt64(bitPattern: now.nanoseconds))
        hash.absorb(source)
        hash.absorb(destination)
        hash.absorb(datagram)
        trafficFingerprint = hash.word(0)
    }
}
