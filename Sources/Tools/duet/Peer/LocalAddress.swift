import Foundation
import RTCWire

/// Whether sockets can be bound to an address.
enum LocalAddress {
    /// Tries to bind a socket: `false` if no interface of this machine has the address.
    static func isOurs(_ address: IPAddress) -> Bool {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE
        hints.ai_protocol = Int32(IPPROTO_UDP)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.description, "0", &hints, &list) == 0, let found = list?.pointee else { return true }
        defer { freeaddrinfo(list) }
        let descriptor = socket(found.ai_family, found.ai_socktype, found.ai_protocol)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        // Other errors, for example for a link-local address without its interface, are left to the engine.
        return bind(descriptor, found.ai_addr, found.ai_addrlen) == 0 || errno != EADDRNOTAVAIL
    }
}
