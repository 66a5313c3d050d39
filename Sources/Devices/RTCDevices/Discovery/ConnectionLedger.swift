import Synchronization

/// A device as Apple's frameworks have it: an object for each connection. Once it is disconnected it stays so; the same thing
/// plugged in again is another object with the same identifier.
protocol FrameworkDevice: AnyObject {
    var uniqueID: String { get }
    var isConnected: Bool { get }
}

/// Gives a handle to each object of a framework, and finds the object of a handle again as long as it is connected.
///
/// Lists of a framework may be late: one that has still a device in it that is disconnected, or one that was made before another
/// one that came first. What counts is what each device says of itself.
final class ConnectionLedger<Device: FrameworkDevice>: Sendable {
    private struct State {
        var devices: [String: Device] = [:]
        var next = 0
    }

    // The frameworks' objects may be used on any thread.
    private struct Unchecked: @unchecked Sendable { var state = State() }
    private struct List: @unchecked Sendable { let devices: [Device] }
    private let state = Mutex(Unchecked())

    init() {}

    /// The handles of those that are connected, in the order of the list. The same object keeps its handle.
    func handles(of devices: [Device]) -> [String] {
        let list = List(devices: devices.filter(\.isConnected))
        return state.withLock { unchecked in
            // What an old list does not have yet is not forgotten while it is connected.
            unchecked.state.devices = unchecked.state.devices.filter { $0.value.isConnected }
            return list.devices.map { device in
                if let known = unchecked.state.devices.first(where: { $0.value === device })?.key { return known }
                unchecked.state.next += 1
                let handle = "\(device.uniqueID)/\(unchecked.state.next)"
                unchecked.state.devices[handle] = device
                return handle
            }
        }
    }

    /// Does something with the object of a handle; `nil` if that is not connected any more. It may take as long as opening a camera
    /// does: nobody waits for it who asks for another object.
    func withDevice<Result: Sendable>(_ handle: String, _ body: (Device) throws -> Result) rethrows -> Result? {
        let found = state.withLock { unchecked in List(devices: unchecked.state.devices[handle].map { [$0] } ?? []) }
        guard let device = found.devices.first, device.isConnected else { return nil }
        return try body(device)
    }
}
