// One peer connection that a test drives through Playwright. It keeps what happens until it is asked, and negotiates
// the way the W3C's example of perfect negotiation does.
window.createPeer = ({ polite = true, trickle = true, waits = false, configuration = {} } = {}) => {
    const connection = new RTCPeerConnection(configuration);
    const peer = { connection, signals: [], channels: {}, messages: {}, closed: {}, errors: [] };
    let makingOffer = false, ignoresOffer = false;

    const gathered = () => new Promise((done) => {
        const check = () => connection.iceGatheringState === 'complete' && done();
        connection.addEventListener('icegatheringstatechange', check);
        check();
    });
    const describe = async () => {
        await connection.setLocalDescription();
        if (!trickle) await gathered();
        const { type, sdp } = connection.localDescription;
        peer.signals.push({ type, sdp });
    };
    const guarded = (work) => async (...input) => {
        try { return await work(...input); } catch (error) { peer.errors.push(String(error)); }
    };

    connection.onnegotiationneeded = guarded(async () => {
        if (waits && !connection.remoteDescription) return;
        makingOffer = true;
        try { await describe(); } finally { makingOffer = false; }
    });
    connection.onicecandidate = ({ candidate }) => {
        if (!trickle) return;
        peer.signals.push(candidate
            ? { candidate: candidate.candidate, sdpMid: candidate.sdpMid, sdpMLineIndex: candidate.sdpMLineIndex }
            : { candidate: '' });
    };

    const base64 = (buffer) => {
        const bytes = new Uint8Array(buffer);
        let text = '';
        for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
        return btoa(text);
    };
    const adopt = (channel) => {
        channel.binaryType = 'arraybuffer';
        peer.channels[channel.label] = channel;
        peer.messages[channel.label] ??= [];
        channel.onmessage = ({ data }) => peer.messages[channel.label].push(
            typeof data === 'string' ? { text: data } : { base64: base64(data) });
        channel.onclose = () => { peer.closed[channel.label] = (peer.closed[channel.label] ?? 0) + 1; };
        return channel;
    };
    connection.ondatachannel = ({ channel }) => adopt(channel);

    // Signals are handled one after another: a candidate never overtakes its description.
    let last = Promise.resolve();
    peer.accept = (signal) => {
        last = last.then(guarded(async () => {
            if (signal.type) {
                const collides = signal.type === 'offer' && (makingOffer || connection.signalingState !== 'stable');
                ignoresOffer = !polite && collides;
                if (ignoresOffer) return;
                await connection.setRemoteDescription(signal);
                if (signal.type === 'offer') await describe();
            } else {
                try {
                    await connection.addIceCandidate(signal.candidate ? signal : null);
                } catch (error) {
                    if (!ignoresOffer) throw error;
                }
            }
        }));
    };
    peer.open = (label, options) => { adopt(connection.createDataChannel(label, options)); };
    peer.send = (label, { text, base64 }) => {
        const data = text ?? Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
        peer.channels[label].send(data);
    };
    // Several messages made on this side, so that thousands need no thousand calls: the numbers from 0 as text.
    peer.sendNumbers = async (label, count) => {
        const channel = peer.channels[label];
        for (let i = 0; i < count; i++) {
            while (channel.bufferedAmount > 1_000_000) await new Promise((done) => setTimeout(done, 1));
            channel.send(String(i));
        }
    };
    peer.drain = () => {
        const signals = peer.signals;
        peer.signals = [];
        return signals;
    };
    peer.look = () => ({
        state: connection.connectionState,
        signaling: connection.signalingState,
        ice: connection.iceConnectionState,
        channels: Object.fromEntries(Object.entries(peer.channels).map(([label, c]) => [label, {
            state: c.readyState, id: c.id, ordered: c.ordered, protocol: c.protocol, negotiated: c.negotiated,
            maxRetransmits: c.maxRetransmits, maxPacketLifeTime: c.maxPacketLifeTime,
        }])),
        counts: Object.fromEntries(Object.entries(peer.messages).map(([label, m]) => [label, m.length])),
        closed: peer.closed,
        errors: peer.errors,
        maxMessageSize: connection.sctp?.maxMessageSize ?? null,
    });
    peer.stats = async () => [...(await connection.getStats()).values()];
    window.peer = peer;
};
