import RTCPeer
import RTCSimulation
import RTCTransport
import RTCWire
import Testing

@Suite("Calls whose path dies, stalls or comes back")
struct PathDeathTests {
    @Test(
        "One of two paths dies in silence: sound is back within 300 ms and the picture within a second",
        arguments: TwoPathCall.Direction.allCases, Seeds.few)
    func death(direction: TwoPathCall.Direction, seed: UInt64) throws {
        let two = try TwoPathCall(seed: seed)
        let died = two.pair.now
        two.block(true, direction)
        two.call.run(for: .seconds(5))
        for side in SimulatedSide.allCases where direction == .both || (direction == .toBob) == (side == .bob) {
            let sound = two.soundBack(at: side, since: died)
            let picture = two.pictureBack(at: side, since: died)
            if MediaReport.isWanted {
                print("\(direction), seed \(seed), \(side): sound", sound.milliseconds, "picture", picture.milliseconds)
            }
            #expect(sound <= .milliseconds(300), "\(side): \(sound.milliseconds) ms")
            #expect(picture <= .seconds(1), "\(side): \(picture.milliseconds) ms")
        }
        #expect(two.pair.bob.peer.selectedPath?.remote.ip == two.secondAddress)
        #expect(two.moves(since: died) == 2)
        for endpoint in [two.pair.alice, two.pair.bob] {
            #expect(endpoint.peer.connectionState == .connected)
            #expect(endpoint.time(of: .disconnected) == nil)
        }
        // The call goes on there.
        two.call.run(for: .seconds(40))
        #expect(two.pair.areConnected && two.moves(since: died + .seconds(5)) == 0)
        for camera in two.call.cameras { two.call.expectDecodable(camera) }
    }

    @Test(
        "Stalls of up to a second move nothing", arguments: [200, 500, 1_000] as [Int64],
        TwoPathCall.Direction.allCases)
    func stalls(milliseconds: Int64, direction: TwoPathCall.Direction) throws {
        for seed in Seeds.few.prefix(4) {
            let two = try TwoPathCall(seed: seed)
            let start = two.pair.now
            for _ in 0..<5 {
                two.stall(for: .milliseconds(milliseconds), direction)
                two.call.run(for: .milliseconds(2_500 + Int64(seed) * 17))
            }
            #expect(two.moves(since: start) == 0, "seed \(seed)")
            #expect(two.pair.bob.peer.selectedPath?.remote.ip == two.firstAddress)
            for camera in two.call.cameras { two.call.expectDecodable(camera) }
        }
    }

    @Test(
        "A stall leaves the rate what it was, though some packets arrive by another path meanwhile",
        arguments: [300, 500, 700, 1_000] as [Int64])
    func rateAfterStall(milliseconds: Int64) throws {
        for seed in Seeds.few.prefix(3) {
            let two = try TwoPathCall(seed: seed)
            let before = two.pair.alice.peer.congestion(at: two.pair.now).target
            two.stall(for: .milliseconds(milliseconds), .both)
            two.call.run(for: .milliseconds(1_500))
            let after = two.pair.alice.peer.congestion(at: two.pair.now).target
            if MediaReport.isWanted { print("stall of \(milliseconds) ms, seed \(seed): \(before) to \(after)") }
            #expect(after.bitsPerSecond * 2 > before.bitsPerSecond, "seed \(seed): \(after) after \(before)")
        }
    }

    @Test("Stalls of 200 ms, two a second, move nothing", arguments: Seeds.few.prefix(3))
    func manyStalls(seed: UInt64) throws {
        let two = try TwoPathCall(seed: seed)
        let start = two.pair.now
        for _ in 0..<40 {
            two.stall(for: .milliseconds(200), .both)
            two.call.run(for: .milliseconds(300))
        }
        #expect(two.moves(since: start) == 0)
    }

    @Test(
        "A queue of 600 ms moves nothing, whether it grows or is there from one moment to the next",
        arguments: TwoPathCall.Direction.allCases, [true, false])
    func queue(direction: TwoPathCall.Direction, grows: Bool) throws {
        for seed in Seeds.few.prefix(4) {
            let two = try TwoPathCall(seed: seed)
            let start = two.pair.now
            var links: [SimulatedNetwork.LinkID] = []
            if direction != .toAlice { links.append(two.first.uplink) }
            if direction != .toBob { links.append(two.first.downlink) }
            let before = links.map { two.pair.network.conditions(of: $0) }
            for link in links {
                var conditions = two.pair.network.conditions(of: link)
                if grows {
                    conditions.bandwidth = .kilobits(300)
                    conditions.queue = .time(.milliseconds(600))
                } else {
                    conditions.delay = conditions.delay + .milliseconds(600)
                }
                two.pair.network.setConditions(conditions, on: link)
            }
            two.call.run(for: .seconds(6))
            for (link, conditions) in zip(links, before) { two.pair.network.setConditions(conditions, on: link) }
            two.call.run(for: .seconds(4))
            #expect(two.moves(since: start) == 0, "seed \(seed)")
            #expect(two.pair.bob.peer.selectedPath?.remote.ip == two.firstAddress)
        }
    }

    @Test(
        "A path that comes back is used again after a while, and sound pauses for less than 100 ms",
        arguments: Seeds.few)
    func comesBack(seed: UInt64) throws {
        let two = try TwoPathCall(seed: seed)
        two.block(true, .both)
        two.call.run(for: .seconds(8))
        #expect(two.pair.bob.peer.selectedPath?.remote.ip == two.secondAddress)
        two.block(false, .both)
        let back = two.pair.now
        two.call.run(for: .seconds(25))
        #expect(two.pair.bob.peer.selectedPath?.remote.ip == two.firstAddress)
        #expect(two.moves(since: back) == 2)
        for side in SimulatedSide.allCases {
            let times = two.sounds[side.rawValue].packets.map(\.info.arrival).filter { $0 > back }
            let longest = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? .seconds(10)
            #expect(longest < .milliseconds(100), "\(side): \(longest.milliseconds) ms")
        }
    }

    @Test(
        "Both paths dead: nothing moves, and after some seconds of it the call goes on where it was",
        arguments: Seeds.few)
    func bothDead(seed: UInt64) throws {
        let two = try TwoPathCall(seed: seed)
        let start = two.pair.now
        two.pair.network.setBlocked(true, between: two.secondAddress, and: two.bobAddress)
        two.block(true, .both)
        two.call.run(for: .seconds(4))
        #expect(two.moves(since: start) == 0)
        two.pair.network.setBlocked(false, between: two.secondAddress, and: two.bobAddress)
        two.block(false, .both)
        let back = two.pair.now
        two.call.run(for: .seconds(5))
        #expect(two.pair.areConnected)
        for side in SimulatedSide.allCases {
            let first = two.sounds[side.rawValue].packets.first { $0.info.arrival > back }
            #expect(first.map { $0.info.arrival - back <= .milliseconds(300) } ?? false)
        }
    }

    @Test("Pauses of all media cost a few checks, and no move", arguments: Seeds.few.prefix(3))
    func pauses(seed: UInt64) throws {
        let two = try TwoPathCall(seed: seed)
        let start = two.pair.now
        for _ in 0..<3 {
            for isOn in [false, true] {
                for index in two.call.cameras.indices { two.call.cameras[index].isOn = isOn }
                for index in two.call.microphones.indices { two.call.microphones[index].isOn = isOn }
                two.call.run(for: .seconds(8))
            }
        }
        #expect(two.moves(since: start) == 0)
        let asked = two.pair.alice.peer.iceStatistics().candidatePairs.reduce(0) { $0 + $1.requestsSent }
        #expect(asked < 150, "\(asked)")
    }

    @Test(
        "Pictures made for 8 Mbit/s do not fill a second path of 1 Mbit/s, on which sound goes on",
        arguments: Seeds.few)
    func narrowReplacement(seed: UInt64) throws {
        let two = try TwoPathCall(seed: seed)
        let wide = LinkConditions(bandwidth: .megabits(10), delay: .milliseconds(15))
        for link in two.call.uplinks { two.pair.network.setConditions(wide, on: link) }
        two.pair.network.setConditions(wide, on: two.first.uplink)
        let narrow = LinkConditions(
            bandwidth: .megabits(1), delay: .milliseconds(40), queue: .time(.milliseconds(1_500)))
        for link in [two.second.uplink, two.second.downlink] { two.pair.network.setConditions(narrow, on: link) }
        for index in two.call.cameras.indices { two.call.cameras[index].bitrate = .megabits(8) }
        two.call.run(for: .seconds(20))
        let rate = two.pair.alice.peer.congestion(at: two.pair.now).target
        let died = two.pair.now
        two.block(true, .both)
        var longest = 0
        while two.pair.now < died + .milliseconds(1_800) {
            two.call.run(for: .milliseconds(5))
            for link in [two.second.uplink, two.second.downlink] {
                longest = max(longest, two.pair.network.queuedBytes(on: link))
            }
        }
        two.call.run(for: .seconds(4))
        #expect(longest * 8 / 1_000 <= 250, "a queue of \(longest * 8 / 1_000) ms")
        for side in SimulatedSide.allCases {
            let (sound, picture) = (two.soundBack(at: side, since: died), two.pictureBack(at: side, since: died))
            let arrivals = two.sounds[side.rawValue].packets.map(\.info.arrival)
                .filter { $0 > died + .milliseconds(300) && $0 < died + .milliseconds(1_900) }
            let gap = zip(arrivals, arrivals.dropFirst()).map { $1 - $0 }.max() ?? .seconds(10)
            if MediaReport.isWanted {
                print(
                    "seed \(seed), \(side): \(rate.bitsPerSecond / 1_000) kbit/s, queue \(longest * 8 / 1_000) ms, sound",
                    sound.milliseconds, "gap", gap.milliseconds, "picture", picture.milliseconds)
            }
            #expect(sound <= .milliseconds(300), "\(side): \(sound.milliseconds) ms")
            #expect(gap <= .milliseconds(200), "\(side): \(gap.milliseconds) ms")
            #expect(picture <= .seconds(1), "\(side): \(picture.milliseconds) ms")
        }
        #expect(two.pair.bob.peer.selectedPath?.remote.ip == two.secondAddress)
    }

    @Test(
        "A second path whose socket takes no more gets no copies, and the first one goes on", arguments: [true, false])
    func fullSecondSocket(isDeep: Bool) throws {
        let two = try TwoPathCall(seed: 2)
        two.block(true, .both)
        two.call.run(for: .milliseconds(isDeep ? 800 : 250))
        #expect(two.pair.alice.peer.backupSocket != nil)
        #expect(two.pair.alice.peer.backupSocket != two.pair.alice.peer.selectedSocket)
        two.pair.with(.alice) { peer, _ in peer.isBackupPaused = true }
        let before = two.mediaSent(by: .alice)
        let delivered = two.pair.network.statistics(of: two.second.uplink).entered
        two.call.run(for: .milliseconds(200))
        #expect(two.mediaSent(by: .alice) > before)
        #expect(two.pair.network.statistics(of: two.second.uplink).entered - delivered < 8)
        #expect(!two.pair.isStuck)
        two.pair.with(.alice) { peer, _ in peer.isBackupPaused = false }
        two.call.run(for: .seconds(4))
        #expect(two.pair.areConnected && two.pair.bob.peer.selectedPath?.remote.ip == two.secondAddress)
    }

    @Test("A socket that takes no more gets no media by way of the replacement either, and another socket does")
    func fullSocket() throws {
        let two = try TwoPathCall(seed: 1)
        two.block(true, .both)
        two.call.run(for: .milliseconds(800))
        // Bob has one socket for both paths, alice one for each.
        for (side, isShared) in [(SimulatedSide.bob, true), (.alice, false)] {
            #expect(two.pair.endpoint(side).peer.selectedPath?.remote.ip != two.secondAddress)
            two.pair.with(side) { peer, _ in peer.isDataPaused = true }
            let before = two.mediaSent(by: side)
            two.call.run(for: .milliseconds(200))
            #expect((two.mediaSent(by: side) == before) == isShared, "\(side)")
            #expect(!two.pair.isStuck)
            two.pair.with(side) { peer, _ in peer.isDataPaused = false }
        }
        two.call.run(for: .seconds(4))
        #expect(two.pair.areConnected && two.pair.bob.peer.selectedPath?.remote.ip == two.secondAddress)
    }
}
