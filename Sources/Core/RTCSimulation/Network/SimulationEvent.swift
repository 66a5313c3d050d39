/// What happens in a simulated network at some time.
enum SimulationEvent: Sendable {
    /// `link` has sent the datagram at the front of its queue. Ignored if the link's generation has changed.
    case transmitted(link: Int32, generation: UInt32)
    /// The datagram in slot `packet` arrives at the end of `link`.
    case arrived(link: Int32, packet: Int32)
    /// `link` changes to other conditions, an index into ``SimulatedNetwork/scheduledConditions``.
    case changed(link: Int32, conditions: Int32)
}
