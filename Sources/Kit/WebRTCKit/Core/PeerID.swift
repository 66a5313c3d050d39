/// Names a peer to the signalling server, which gives it out.
public typealias PeerID = String
