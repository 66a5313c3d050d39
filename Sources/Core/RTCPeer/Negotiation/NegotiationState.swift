import RTCTransport

/// An offer that waits for its answer, of which there is one at most. Consumed by answering it or rolling it back.
enum OpenOffer: Sendable {
    /// A local offer, with the provisional remote answer, if any.
    case ours(LocalDescription, provisional: RemoteDescription?)
    /// A remote offer, with the provisional local answer, if any.
    case theirs(RemoteDescription, provisional: LocalDescription?)
}

/// The descriptions at the end of the last exchange. Their sections have the same indices.
struct SettledExchange: Sendable {
    var local: LocalDescription
    var remote: RemoteDescription

    /// The sections for the next offer: open where both descriptions have them open.
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

/// The transport in use, as described by both sides. A provisional answer suffices to use it.
struct AgreedTransport: Sendable {
    /// The username fragment of the local ICE generation.
    var localFragment: String?
    /// The remote transport, with the candidates already passed to ICE.
    var remote: TransportDescription?
    var dtlsRole: DTLSRole?
    var isICEControlling = false
    var data: NegotiationChange.DataSection?
}
