// What the pages do that chromium_bench.py measures.

// Two ends in two pages: each makes its description with the candidates inside, and Python carries it over.

const described = async (peer, description) => {
    const gathered = new Promise((done) => peer.addEventListener('icegatheringstatechange', () => {
        if (peer.iceGatheringState === 'complete') done();
    }));
    await peer.setLocalDescription(description);
    await gathered;
    return peer.localDescription.toJSON();
};
window.offer = async () => described(window.peer, await window.peer.createOffer());
window.answer = async (offer) => {
    await window.peer.setRemoteDescription(offer);
    return described(window.peer, await window.peer.createAnswer());
};
window.accept = async (answer) => window.peer.setRemoteDescription(answer);

window.prepareSender = () => {
    window.peer = new RTCPeerConnection();
    const channel = window.channel = window.peer.createDataChannel('data');
    window.opened = new Promise((done) => channel.onopen = done);
};
window.prepareReceiver = () => {
    window.peer = new RTCPeerConnection();
    let bytes = 0, first = 0, last = 0;
    window.counted = new Promise((done) => window.peer.ondatachannel = ({ channel }) => {
        window.channel = channel;
        channel.binaryType = 'arraybuffer';
        channel.onmessage = ({ data }) => {
            if (typeof data === 'string') return done({ bytes, seconds: (last - first) / 1000 });
            last = performance.now();
            if (!bytes) first = last;
            bytes += data.byteLength;
        };
    });
};
window.send = async (size, seconds) => {
    const { channel } = window;
    await window.opened;
    channel.bufferedAmountLowThreshold = 1 << 20;
    const message = new Uint8Array(size), end = performance.now() + seconds * 1000;
    while (performance.now() < end) {
        if (channel.bufferedAmount > 4 << 20) await new Promise((done) => channel.onbufferedamountlow = done);
        for (let i = 0; i < 16; i++) channel.send(message);
    }
    channel.send('end');
};

const camera = (width, height) => navigator.mediaDevices.getUserMedia({
    audio: true, video: { width, height, frameRate: 30 } });
// A frame is decoded only if somebody looks: as small as can be, so that little is spent on painting it.
const watch = (track, width) => {
    const video = Object.assign(document.createElement('video'), { muted: true, autoplay: true, width });
    video.srcObject = new MediaStream([track]);
    document.body.append(video);
    return video;
};
window.prepareCall = async () => {
    const peer = window.peer = new RTCPeerConnection(), stream = await camera(1280, 720);
    peer.ontrack = ({ track }) => { if (track.kind === 'video') watch(track, 16); };
    for (const track of stream.getTracks()) peer.addTrack(track, stream);
    const vp8 = RTCRtpSender.getCapabilities('video').codecs.filter(({ mimeType }) => mimeType === 'video/VP8');
    for (const transceiver of peer.getTransceivers())
        if (transceiver.sender.track.kind === 'video') transceiver.setCodecPreferences(vp8);
};
// All are compared at the full size: by itself it makes its picture smaller when the processor is busy.
window.keepSize = async () => {
    for (const sender of window.peer.getSenders()) {
        if (sender.track.kind !== 'video') continue;
        await sender.setParameters(
            Object.assign(sender.getParameters(), { degradationPreference: 'maintain-resolution' }));
    }
};
window.received = async () => {
    for (const entry of (await window.peer.getStats()).values())
        if (entry.type === 'inbound-rtp' && entry.kind === 'video')
            return { frames: entry.framesDecoded, bytes: entry.bytesReceived,
                width: entry.frameWidth, height: entry.frameHeight };
    throw new Error('no video is received');
};

// Two ends in one page, candidates handed over as they come: nothing but the engine is in the way.

const joined = async (one, other) => {
    const held = { one: [], other: [] };
    const forward = (from, to, name) => from.onicecandidate = ({ candidate }) => {
        if (!candidate) return;
        if (to.remoteDescription) to.addIceCandidate(candidate); else held[name].push(candidate);
    };
    forward(one, other, 'other');
    forward(other, one, 'one');
    await one.setLocalDescription(await one.createOffer());
    await other.setRemoteDescription(one.localDescription);
    for (const candidate of held.other) other.addIceCandidate(candidate);
    await other.setLocalDescription(await other.createAnswer());
    await one.setRemoteDescription(other.localDescription);
    for (const candidate of held.one) one.addIceCandidate(candidate);
};
window.setup = async (runs) => {
    const times = [];
    for (let i = 0; i < runs; i++) {
        const one = new RTCPeerConnection(), other = new RTCPeerConnection();
        const channel = one.createDataChannel('data');
        const opened = new Promise((done) => channel.onopen = done);
        const start = performance.now();
        await joined(one, other);
        await opened;
        times.push(performance.now() - start);
        one.close();
        other.close();
    }
    return times;
};
// The first decoded frame that the page has in its hands: read from the track, or on the screen, whichever comes first.
const firstDecoded = (track) => Promise.race([
    new Promise((done) => watch(track, 64).requestVideoFrameCallback(() => done(performance.now()))),
    new MediaStreamTrackProcessor({ track: track.clone() }).readable.getReader().read().then(({ value }) => {
        const time = performance.now();
        value.close();
        return time;
    }),
]);
window.firstFrame = async (runs) => {
    const stream = await camera(640, 480), times = [];
    for (let i = 0; i < runs; i++) {
        const one = new RTCPeerConnection(), other = new RTCPeerConnection();
        for (const track of stream.getTracks()) one.addTrack(track, stream);
        const seen = new Promise((done) => other.addEventListener('track', ({ track }) => {
            if (track.kind === 'video') done(firstDecoded(track));
        }));
        const start = performance.now();
        await joined(one, other);
        times.push(await seen - start);
        one.close();
        other.close();
        document.body.replaceChildren();
    }
    return times;
};
