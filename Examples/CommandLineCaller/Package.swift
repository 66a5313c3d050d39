// swift-tools-version: 6.2
import PackageDescription

// A call from the command line: README.md beside this file says how to run it.
let package = Package(
    name: "CommandLineCaller",
    platforms: [.macOS(.v15)],
    dependencies: [
        // The name is that of the package. Without it, a package by its path is called as its folder is.
        .package(name: "duet", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "caller",
            dependencies: [.product(name: "WebRTCKit", package: "duet")],
            swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]),
        // The program of the tutorial "A first call".
        .executableTarget(
            name: "first-call",
            dependencies: [.product(name: "WebRTCKit", package: "duet")],
            swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")]),
    ]
)
