import Synchronization

/// A device object of Apple's frameworks: one object for each connection. Once disconnected it stays disconnected; a
/// device that is plugged in again gets another object with the same identifier.
protocol FrameworkDevice: AnyObject {
    var uniqueID: String { get }
    var isConnected: Bool { get }
}

/// Gives a handle to each device object of a framework, and finds the object by its handle as long as the device is
/// connected.
///
/// A framework's lists may be outdated: they may still contain a disconnected device, or arrive in the wrong order.
/// Only each device's own state counts.
final class DeviceHandleTable<Device: FrameworkDevice>: Sendable {
    private struct State {
        var devices: [String: Device] = [:]
        var next = 0
    }

    // The frameworks' objects may be used on any thread.
    private struct Unchecked: @unchecked Sendable { var state = State() }
    private struct List: @unchecked Sendable { let devices: [Device] }
    private let state = Mutex(Unchecked())

    init() {}

    /// Returns the handles of the connected devices, in the order of the list. The same object keeps its handle.
    func handles(of devices: [Device]) -> [String] {
        let list = List(devices: devices.filter(\.isConnected))
        return state.withLock { unchecked in
            // A connected device that is missing in an outdated list is kept.
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

    /// Runs `body` with the device object of a handle; returns `nil` if the device is not connected any more. `body`
    /// runs outside the lock, since it may take as long as opening a camera does.
    func withDevice<Result: Sendable>(_ handle: String, _ body: (Device) throws -> Result) rethrows -> Result? {
        let found = state.withLock { unchecked in List(devices: unchecked.state.devices[handle].map { [$0] } ?? []) }
        guard let device = found.devices.first, device.isConnected else { return nil }
        return try body(device)
    }
}
