public import Foundation

open class CIContext: NSObject {
    public override init() { fatalError() }
}
