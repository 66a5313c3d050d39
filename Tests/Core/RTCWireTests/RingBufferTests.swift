import RTCWire
import Testing

@Suite("RingBuffer")
struct RingBufferTests {
    @Test("does what an array does, for any sequence of operations", arguments: 1...20 as ClosedRange<UInt64>)
    func model(seed: UInt64) {
        let random = SeededRandom(seed: seed)
        var ring = RingBuffer<UInt64>()
        var model: [UInt64] = []
        // Phases that mostly fill and phases that mostly drain, so that it grows, wraps and gives memory back.
        for step in 0..<6_000 {
            let fills = step / 1_500 % 2 == 0
            switch random.next(below: 10) {
            case 0...(fills ? 5 : 2):
                ring.append(UInt64(step))
                model.append(UInt64(step))
            case 6 where random.next(below: 2) == 0:
                ring.prepend(UInt64(step))
                model.insert(UInt64(step), at: 0)
            case 7 where !model.isEmpty:
                let place = Int(random.next(below: UInt64(model.count)))
                ring[place] &+= 1_000_000
                model[place] &+= 1_000_000
            case 8 where random.next(below: 500) == 0:
                ring.removeAll()
                model.removeAll()
            default: #expect(ring.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(ring.count == model.count && ring.isEmpty == model.isEmpty)
            #expect(ring.first == model.first && ring.last == model.last)
            if step % 97 == 0 {
                #expect((0..<ring.count).map { ring[$0] } == model && ring.elements == model)
                #expect(RingBuffer(model).elements == model)
            }
        }
    }

    @Test("is a value")
    func value() {
        var one = RingBuffer<Int>()
        for number in 0..<20 { one.append(number) }
        var other = one
        other.popFirst()
        other[0] = -1
        #expect(one.count == 20 && one[1] == 1)
        #expect(other.count == 19 && other[0] == -1)
    }

    @Test("lets go of what it drops")
    func release() {
        final class Thing {}
        var ring = RingBuffer<Thing>()
        weak var weakThing: Thing?
        do {
            let thing = Thing()
            weakThing = thing
            ring.append(thing)
        }
        #expect(weakThing != nil)
        ring.popFirst()
        #expect(weakThing == nil)
    }

    @Test("holds optional elements, nil among them")
    func optionals() {
        var ring = RingBuffer<Int?>()
        ring.append(nil)
        ring.append(2)
        #expect(ring.count == 2 && ring[0] == nil && ring[1] == 2)
        #expect(ring.popFirst() == .some(nil))
        #expect(ring.popFirst() == .some(2))
        #expect(ring.popFirst() == nil)
    }
}
