// on: ios
// refused: does not conform to protocol 'PKPushRegistryDelegate'
// chosen: by a reader who did not write the headers
import Foundation
import PushKit
final class D: NSObject, PKPushRegistryDelegate {
    func pushRegistry(_ r: PKPushRegistry, didInvalidatePushTokenFor type: PKPushType) {} }
