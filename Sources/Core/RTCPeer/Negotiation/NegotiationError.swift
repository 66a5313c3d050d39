internal import RTCWire

/// Why a description or a candidate was not accepted. The negotiator is then as it was before.
package struct NegotiationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of the failure. More may be added.
    package struct Code: RawRepresentable, Sendable, Hashable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        // The caller's mistakes.

        /// The call does not fit the signalling state: W3C InvalidStateError.
        package static let invalidState = Code(rawValue: "invalid-state")
        /// An answer, and no offer waits for one: it was answered before, rolled back, or never made.
        package static let noOfferToAnswer = Code(rawValue: "no-offer-to-answer")
        /// A local description that ``Negotiator`` did not make last: W3C InvalidModificationError.
        package static let modifiedDescription = Code(rawValue: "modified-description")
        /// The credentials in ``LocalTransportInput`` do not fit ``Negotiator/needsFreshICECredentials``.
        package static let unsuitableCredentials = Code(rawValue: "unsuitable-credentials")
        /// ``LocalTransportInput`` is malformed.
        package static let invalidInput = Code(rawValue: "invalid-input")

        // Errors of the other side's description.

        /// The text is not SDP; ``NegotiationError/syntax`` has the line.
        package static let invalidSyntax = Code(rawValue: "invalid-syntax")
        /// Sections are fewer, in another order, or of another kind than agreed (RFC 9429, section 5.8).
        package static let sectionsChanged = Code(rawValue: "sections-changed")
        /// A `mid` occurs twice.
        package static let duplicateMid = Code(rawValue: "duplicate-mid")
        /// A group or a candidate names a `mid` that no section has.
        package static let unknownMid = Code(rawValue: "unknown-mid")
        /// Sections that have to share the transport do not.
        package static let notBundled = Code(rawValue: "not-bundled")
        /// An accepted section has no `a=ice-ufrag` or `a=ice-pwd`.
        package static let missingICECredentials = Code(rawValue: "missing-ice-credentials")
        /// An accepted section has no `a=fingerprint`.
        package static let missingFingerprint = Code(rawValue: "missing-fingerprint")
        /// No fingerprint has a hash function that is accepted (sha-256, sha-384, sha-512).
        package static let unsupportedFingerprint = Code(rawValue: "unsupported-fingerprint")
        /// `a=setup` does not fit the offer, or the role that was agreed upon.
        package static let invalidSetup = Code(rawValue: "invalid-setup")
        /// An answer changes the ICE credentials although the offer did not.
        package static let unexpectedICERestart = Code(rawValue: "unexpected-ice-restart")
        /// Certificate or `a=tls-id` of a connection in use changed: it would be another connection.
        package static let changedDTLSAssociation = Code(rawValue: "changed-dtls-association")
        /// An answer accepts something that was not offered.
        package static let notOffered = Code(rawValue: "not-offered")

        // Audio and video.

        /// No transceiver has this number any more: it was stopped, or the offer that had brought it was withdrawn.
        package static let noSuchTransceiver = Code(rawValue: "no-such-transceiver")
        /// ``MediaCapabilities`` has no codec for this kind of media, or not the requested one.
        package static let unsupportedCodec = Code(rawValue: "unsupported-codec")
        /// One payload type stands for two codecs in sections that share a transport (RFC 9143, section 9.1).
        package static let payloadTypeConflict = Code(rawValue: "payload-type-conflict")
        /// One number stands for two header extensions, or is none (RFC 8285, section 5; RFC 9143, section 9.2).
        package static let headerExtensionConflict = Code(rawValue: "header-extension-conflict")
        /// An answer accepts audio or video and has none of the codecs that were offered.
        package static let noCommonCodec = Code(rawValue: "no-common-codec")
        /// An answer accepts audio or video without `a=rtcp-mux` (RFC 5761), and there is no port for RTCP alone.
        package static let rtcpNotMultiplexed = Code(rawValue: "rtcp-not-multiplexed")
        /// The media of a section is described in an unusable way.
        package static let invalidMedia = Code(rawValue: "invalid-media")

        // Candidates.

        /// There is no remote description yet. Only thrown by ``Negotiator/classify(_:)``.
        package static let noRemoteDescription = Code(rawValue: "no-remote-description")
        /// The text is not a candidate, or names no section.
        package static let invalidCandidate = Code(rawValue: "invalid-candidate")
        /// No generation has this username fragment. Only thrown by ``Negotiator/classify(_:)``.
        package static let unknownUsernameFragment = Code(rawValue: "unknown-username-fragment")
    }

    package let code: Code
    /// The cause of the error, and how to fix it: one line that no terminal or log interprets, although it may quote the other side.
    package let message: String
    /// The position of the error in the text, with ``Code/invalidSyntax``.
    package let syntax: SDPError?

    package init(_ code: Code, _ message: String, syntax: SDPError? = nil) {
        self.code = code
        self.message = PrintableText.replacing(message, limit: Self.longestMessage)
        self.syntax = syntax
    }

    /// The maximum number of Unicode scalars of a message.
    private static let longestMessage = 500

    package var description: String { "\(message) (\(code.rawValue))" }
}
