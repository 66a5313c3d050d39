import CLibFuzzer
import FuzzTargets

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// duet-fuzz TARGET [OPTION OF LIBFUZZER…] [FOLDER OF INPUTS…]
// duet-fuzz --list

private let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")

/// The target that the first argument names.
private let target: FuzzTarget = {
    let name = CommandLine.arguments.dropFirst().first ?? ""
    if name == "--list" {
        for target in FuzzTarget.allCases { print(target.rawValue) }
        exit(0)
    }
    guard let target = FuzzTarget(rawValue: name) else { fatalError("“\(name)” is no target: \(names) are") }
    return target
}()

// libFuzzer sees the arguments without the target's name.
_ = target
CommandLine.unsafeArgv[1] = CommandLine.unsafeArgv[0]
private var count = CommandLine.argc - 1
private var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
_ = LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
    target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
