import RTCSimulation
import RTCTransport
import RTCWire

@testable import WebRTCKit

// What may go wrong around two kits.
extension CallModel {
    private var normal: LinkConditions { LinkConditions(delay: .milliseconds(5 + Int64(random.next(below: 40)))) }

    private func setConditions(_ conditions: LinkConditions, of kit: ModelKit) {
        network.setConditions(conditions, on: kit.interface.uplink)
        network.setConditions(conditions, on: kit.interface.downlink)
    }

    /// Everything works again.
    func heal() {
        for kit in kits {
            setConditions(normal, of: kit)
            connect(kit)
        }
    }

    /// A kit's network is gone for a while, and perhaps its machine notices.
    func breakNetwork(of kit: ModelKit, for time: TimeDelta, isNoticed: Bool) {
        note("— \(kit.name)'s network is gone")
        var conditions = normal
        conditions.isUp = false
        setConditions(conditions, of: kit)
        if isNoticed { kit.core.receive(.lost, at: now) }
        schedule(in: time) { model in
            model.note("— \(kit.name)'s network is back")
            model.setConditions(model.normal, of: kit)
            if isNoticed { kit.core.receive(.restored, at: model.now) }
        }
    }

    /// Datagrams are lost for a while.
    func loseDatagrams(of kit: ModelKit, rate: Double, for time: TimeDelta) {
        note("— \(kit.name) loses datagrams")
        var conditions = normal
        conditions.loss = .random(rate)
        setConditions(conditions, of: kit)
        schedule(in: time) { $0.setConditions($0.normal, of: kit) }
    }

    /// A kit's machine gets another address, after a moment without any.
    func changeAddress(of kit: ModelKit, after time: TimeDelta) {
        note("— \(kit.name)'s address changes")
        network.removeInterface(kit.interface)
        rebind(kit)
        kit.core.receive(.changed, at: now)
        schedule(in: time) { model in
            let last = UInt8(10 + model.random.next(below: 200))
            kit.interface = model.network.addInterface(
                to: kit.host, address: IPAddress(198, 51, UInt8(kit.index), last))
            model.setConditions(model.normal, of: kit)
            model.rebind(kit)
            kit.core.receive(.changed, at: model.now)
        }
    }

    private func rebind(_ kit: ModelKit) {
        kit.connection?.bind(to: network.addresses(of: kit.host), nextPort: &kit.nextPort, at: now)
    }

    /// The server dies; its clients notice a little later, and connect again when it is back.
    func killServer(for time: TimeDelta) {
        note("— the server dies")
        isServerFaulted = true
        server.die()
        for kit in kits {
            schedule(in: .milliseconds(Int64(random.next(below: 1_000)))) { $0.noticeLoss(kit) }
            schedule(in: time + .milliseconds(1_000 + Int64(random.next(below: 2_000)))) { $0.connect(kit) }
        }
    }

    /// One client's socket breaks.
    func loseClient(_ kit: ModelKit, for time: TimeDelta) {
        note("— \(kit.name)'s socket breaks")
        isServerFaulted = true
        server.lose(kit.index)
        schedule(in: .milliseconds(Int64(random.next(below: 1_000)))) { $0.noticeLoss(kit) }
        schedule(in: time + .seconds(1)) { $0.connect(kit) }
    }

    private func noticeLoss(_ kit: ModelKit) {
        guard !server.isPresent[kit.index], kit.isSignalingOpen else { return }
        note("— \(kit.name) notices that its socket is gone")
        kit.isSignalingOpen = false
        kit.core.receive(.closed, at: now)
    }

    private func connect(_ kit: ModelKit) {
        noticeLoss(kit)
        server.connect(kit.index)
        guard !kit.isSignalingOpen else { return }
        note("— \(kit.name) is connected again")
        kit.isSignalingOpen = true
        kit.core.receive(.opened, at: now)
    }

    /// A kit's process is killed and started again.
    func crash(_ kit: ModelKit) {
        note("— \(kit.name) crashes")
        kit.crash(settings: settings, seed: random.next())
        kit.isSignalingOpen = server.isPresent[kit.index]
    }
}
