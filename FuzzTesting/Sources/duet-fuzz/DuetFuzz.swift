import FuzzTargets

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The target that `DUET_FUZZ_TARGET` names.
private let target: FuzzTarget = {
    let name = getenv("DUET_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
        fputs("DUET_FUZZ_TARGET is “\(name)” and must be one of: \(names)\n", stderr)
        exit(2)
    }
    return target
}()

/// libFuzzer calls this with one input after another.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
