@_exported public import CoreGraphics

public enum CGImagePropertyOrientation: UInt32, Sendable {
    case up = 1
    case upMirrored = 2
    case down = 3
    case downMirrored = 4
    case leftMirrored = 5
    case right = 6
    case rightMirrored = 7
    case left = 8
}

nonisolated(unsafe) public let kCGImagePropertyOrientation: CFString = { fatalError() }()
nonisolated(unsafe) public let kCGImageDestinationLossyCompressionQuality: CFString = { fatalError() }()

public class CGImageDestination {}
public func CGImageDestinationCreateWithData(
    _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? { fatalError() }
public func CGImageDestinationAddImage(_ idst: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?) { fatalError() }
public func CGImageDestinationFinalize(_ idst: CGImageDestination) -> Bool { fatalError() }
