import Testing

@testable import RTCSignaling

@Suite("A set in the order of insertion")
struct InsertionOrderedSetTests {
    @Test("It has what an array without doubles has", arguments: 0..<20 as Range<UInt64>)
    func likeArray(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var set = InsertionOrderedSet<UInt64?>()
        var array: [UInt64?] = []
        for _ in 0..<2_000 {
            let element = random.next() % 90 == 0 ? nil : random.next() % 60
            if random.next() % 2 == 0 {
                set.insert(element)
                if !array.contains(element) { array.append(element) }
            } else {
                set.remove(element)
                array.removeAll { $0 == element }
            }
            #expect(set.count == array.count && set.isEmpty == array.isEmpty && set.first == array.first)
        }
        #expect(set.elements == array)
    }
}
