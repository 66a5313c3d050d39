/// The identifier of a peer, assigned by the signalling server.
public typealias PeerID = String
