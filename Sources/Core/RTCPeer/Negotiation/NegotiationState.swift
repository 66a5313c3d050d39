import RTCTransport

/// An offer that waits for its answer. Answering it, or withdrawing it, consumes it: there is one at most.
enum OpenOffer: Sendable {
    /// Ours, and the other side's provisional answer if there was one.
    case ours(LocalDescription, provisional: RemoteDescription?)
    /// The other side's, and our provisional answer if there was one.
    case theirs(RemoteDescription, provisional: LocalDescription?)
}

/// The descriptions that the last exchange ended with. Their sections have the same indices.
struct SettledExchange: Sendable {
    var local: LocalDescription
    var remote: RemoteDescription

    /// The sections as the next offer finds them: open where both descriptions have them open.
    var sections: AgreedSections {
        var agreed = AgreedSections()
        agreed.sections = local.document.media.enumerated().map { index, section in
            AgreedSections.Section(kind: section.kind, mid: section.level.mid, isOpen: isOpen(index))
        }
        agreed.dataIndex = dataIndex
        return agreed
    }

    var dataIndex: Int? { local.dataIndex.flatMap { isOpen($0) ? $0 : nil } }

    func isOpen(_ index: Int) -> Bool {
        local.openSections.contains(index) && remote.openSections.contains(index)
    }
}

/// The transport that is in use, as both sides described it. A provisional answer is enough to use it.
struct AgreedTransport: Sendable {
    /// The ICE generation of this side.
    var localFragment: String?
    /// The other side's, with the candidates that were handed on.
    var remote: TransportDescription?
    var dtlsRole: DTLSRole?
    var isICEControlling = false
    var data: NegotiationChange.DataSection?
}
