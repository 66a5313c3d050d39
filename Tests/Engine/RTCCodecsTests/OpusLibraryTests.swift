import CDuetOpus
import RTCMedia
import Testing

@testable import RTCCodecs

@Suite("A libopus that a program provides")
struct OpusLibraryTests {
    /// A table whose functions exist and are never called.
    private func table() -> COpusLibrary {
        var table = COpusLibrary()
        // Functions that take any number of arguments have no type in Swift: every function of the table is one and the same.
        withUnsafeMutableBytes(of: &table) { bytes in
            let version: @convention(c) () -> UnsafePointer<CChar>? = { nil }
            let words = bytes.bindMemory(to: UInt.self)
            for index in words.indices { words[index] = UInt(bitPattern: unsafeBitCast(version, to: Int.self)) }
        }
        return table
    }

    @Test("It is taken from where it was put, and nothing can be put there afterwards")
    func provided() {
        let library = UnsafeMutablePointer<COpusLibrary>.allocate(capacity: 2)
        defer { library.deallocate() }
        library.initialize(repeating: table(), count: 2)
        var place = COpusPlace()
        #expect(copus_place_provide(&place, library) == 1)
        #expect(copus_place_provide(&place, library + 1) == 1)
        #expect(copus_place_take(&place) == UnsafePointer(library + 1))
        #expect(copus_place_provide(&place, library) == 0)
        #expect(copus_place_take(&place) == UnsafePointer(library + 1))
    }

    @Test("A place that nothing was put in time into stays empty")
    func tooLate() {
        let library = UnsafeMutablePointer<COpusLibrary>.allocate(capacity: 1)
        defer { library.deallocate() }
        library.initialize(to: table())
        var place = COpusPlace()
        #expect(copus_place_take(&place) == nil)
        #expect(copus_place_provide(&place, library) == 0)
        #expect(copus_place_take(&place) == nil)
    }

    @Test("A table that lacks a function is refused")
    func incomplete() {
        let library = UnsafeMutablePointer<COpusLibrary>.allocate(capacity: 1)
        defer { library.deallocate() }
        var place = COpusPlace()
        let size = MemoryLayout<COpusLibrary>.size, step = MemoryLayout<UInt>.size
        #expect(size / step == 10)
        for missing in stride(from: 0, to: size, by: step) {
            library.initialize(to: table())
            UnsafeMutableRawPointer(library).storeBytes(of: 0, toByteOffset: missing, as: UInt.self)
            #expect(copus_place_provide(&place, library) == 0, "without the function at \(missing)")
        }
        #expect(copus_place_provide(&place, nil) == 0)
        #expect(copus_place_take(&place) == nil)
    }

    @Test("The codecs of this process have been chosen: it is too late, and says so")
    func chosen() {
        let library = UnsafeMutablePointer<COpusLibrary>.allocate(capacity: 1)
        defer { library.deallocate() }
        library.initialize(to: table())
        #expect(CodecCatalog.system.codecs(of: .audio).first?.name == "opus")
        #expect(copus_provide(library) == 0)
    }
}
