// on: ios
// refused: does not conform to protocol
import CallKit
import Foundation
final class Delegate: NSObject, CXProviderDelegate {}
