import WebRTCKit
