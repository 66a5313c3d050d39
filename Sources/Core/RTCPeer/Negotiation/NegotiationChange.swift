package import RTCTransport

/// The changes that the peer has to apply after a description, in this order.
///
/// A remote offer alone does not change the transport: it takes effect together with the answer, so that a rollback has
/// nothing to undo. A local offer starts gathering immediately, as the W3C requires.
package enum NegotiationChange: Sendable, Hashable {
    /// The signalling state is another one now.
    case signalingState(SignalingState)
    /// A local description that starts an ICE generation took effect: gather candidates for it. Reported again if the
    /// credentials of a withdrawn offer are used after all; keep the candidates that were gathered for them.
    case localTransport(LocalTransport)
    /// The other side's transport is agreed upon, or has changed. Reported with the first answer of either side,
    /// provisional or not, and later with each change.
    case remoteTransport(RemoteTransport)
    /// Data channels are agreed upon, or the other side's limits changed.
    case data(DataSection)
    /// The other side refuses the data channels that we requested; the request is dropped. Close the channels.
    case dataRejected
    /// Data channels had been agreed upon, and a later description closed their section. Close the channels.
    case dataRemoved
    /// An offer was withdrawn.
    case rolledBack(Rollback)

    /// An ICE generation of this side.
    package struct LocalTransport: Sendable, Hashable {
        package var iceUsernameFragment: String
        package var icePassword: String
        /// The section that candidates are announced with; see ``Negotiator/addLocalCandidate(_:usernameFragment:)``.
        package var mid: String?
        package var mLineIndex: Int
        /// Whether an earlier generation is in use that this one is to replace (RFC 8445, section 9).
        package var isRestart: Bool

        package init(
            iceUsernameFragment: String, icePassword: String, mid: String?, mLineIndex: Int, isRestart: Bool
        ) {
            self.iceUsernameFragment = iceUsernameFragment
            self.icePassword = icePassword
            self.mid = mid
            self.mLineIndex = mLineIndex
            self.isRestart = isRestart
        }
    }

    /// The other side's transport and its agreed use.
    package struct RemoteTransport: Sendable, Hashable {
        /// With those candidates that were not handed over before.
        package var description: TransportDescription
        /// Whether this is a new ICE generation that replaces one in use: both sides have new credentials.
        package var isRestart: Bool
        /// Our role in the checks: the offerer of this generation is controlling, and so is a full agent whose peer is
        /// ICE-lite (RFC 8445, section 6.1.1). Only relevant if `isRestart` is set or for the first description.
        package var isICEControlling: Bool
        /// Our role in the handshake (RFC 8842). Never changes once agreed upon.
        package var dtlsRole: DTLSRole

        package init(description: TransportDescription, isRestart: Bool, isICEControlling: Bool, dtlsRole: DTLSRole) {
            self.description = description
            self.isRestart = isRestart
            self.isICEControlling = isICEControlling
            self.dtlsRole = dtlsRole
        }
    }

    /// The agreed section of data channels.
    package struct DataSection: Sendable, Hashable {
        package var local: DataDescription
        package var remote: DataDescription
        package var mid: String?

        package init(local: DataDescription, remote: DataDescription, mid: String?) {
            self.local = local
            self.remote = remote
            self.mid = mid
        }
    }

    /// The consequences of a withdrawn offer.
    package struct Rollback: Sendable, Hashable {
        /// Whether it was ours.
        package var isLocal: Bool
        /// The credentials that our offer had announced and that are not in use: an ICE restart that did not happen,
        /// whose candidates are to be forgotten, or the first generation, which the next description may use again.
        package var unusedUsernameFragment: String?

        package init(isLocal: Bool, unusedUsernameFragment: String?) {
            self.isLocal = isLocal
            self.unusedUsernameFragment = unusedUsernameFragment
        }
    }
}
