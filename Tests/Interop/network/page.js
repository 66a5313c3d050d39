// What a page does that takes part in a call across a narrow link: it sends a film and a sound, and keeps what it shows and plays.
// film.py and sound.py say how both are marked; watch.py does the same for `duet`.

const MOMENT = 400;  // milliseconds from one look at the screen to the next

const call = window.call = { errors: [], shown: [], moments: [], pictures: [], sound: [], soundBegan: null, received: [] };

call.prepare = async ({ width, height, rate, maximum, codec }) => {
    const stream = await navigator.mediaDevices.getUserMedia({
        audio: { echoCancellation: false, autoGainControl: false, noiseSuppression: false },
        video: { width, height, frameRate: rate } });
    const peer = call.peer = new RTCPeerConnection();
    for (const track of stream.getTracks()) peer.addTrack(track, stream);
    for (const transceiver of peer.getTransceivers()) {
        if (transceiver.sender.track.kind !== 'video') continue;
        const { codecs } = RTCRtpSender.getCapabilities('video'), is = (name) => ({ mimeType }) => mimeType === `video/${name}`;
        transceiver.setCodecPreferences([...codecs.filter(is(codec)), ...codecs.filter(({ mimeType }) => /rtx|red|ulpfec/.test(mimeType))]);
    }
    peer.ontrack = ({ track }) => {
        (track.kind === 'video' ? watch : listen)(track).catch((error) => call.errors.push(String(error)));
    };
    peer.ondatachannel = ({ channel }) => adopt(channel);
    peer.onconnectionstatechange = async () => {
        if (peer.connectionState !== 'connected') return;
        for (const sender of peer.getSenders()) {
            if (sender.track.kind !== 'video') continue;
            const parameters = sender.getParameters();
            parameters.encodings[0].maxBitrate = maximum;
            await sender.setParameters(parameters);
        }
    };
};

const described = async (description) => {
    const { peer } = call;
    const gathered = new Promise((done) => {
        const check = () => peer.iceGatheringState === 'complete' && done();
        peer.addEventListener('icegatheringstatechange', check);
    });
    await peer.setLocalDescription(description);
    await Promise.race([gathered, new Promise((done) => setTimeout(done, 3000))]);
    return peer.localDescription.toJSON();
};
const adopt = (channel) => {
    call.channel = channel;
    channel.binaryType = 'arraybuffer';
    channel.onmessage = ({ data }) => call.received.push([performance.now(), data.byteLength ?? data.length]);
};
call.sendFile = async (seconds) => {
    const { channel } = call, end = performance.now() + seconds * 1000, message = crypto.getRandomValues(new Uint8Array(16_384));
    channel.bufferedAmountLowThreshold = 1 << 18;
    while (performance.now() < end && channel.readyState === 'open') {
        if (channel.bufferedAmount > 1 << 20) await new Promise((done) => channel.onbufferedamountlow = done);
        channel.send(message);
    }
};
call.offer = async () => {
    adopt(call.peer.createDataChannel('data'));
    return described(await call.peer.createOffer());
};
call.accept = async (description) => {
    await call.peer.setRemoteDescription(description);
    return description.type === 'offer' ? described(await call.peer.createAnswer()) : null;
};

call.statistics = async () => {
    const found = { inbound: [], outbound: [], pairs: [] };
    for (const entry of (await call.peer.getStats()).values()) {
        if (entry.type === 'inbound-rtp') found.inbound.push(entry);
        if (entry.type === 'outbound-rtp') found.outbound.push(entry);
        if (entry.type === 'candidate-pair' && entry.availableOutgoingBitrate) found.pairs.push(entry);
    }
    return found;
};

// Pictures

const crc16 = (number) => {
    let crc = 0xFFFF ^ number;
    for (let bit = 0; bit < 16; bit++) crc = (crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1) & 0xFFFF;
    return crc;
};
const readNumber = (luma, stride, width, height) => {
    const values = [];
    for (let row = 0; row < 2; row++) {
        const top = Math.floor((4 * row + 1) * height / 72), bottom = Math.max(top + 1, Math.floor((4 * row + 3) * height / 72));
        let bits = 0;
        for (let column = 0; column < 16; column++) {
            const left = Math.floor((4 * column + 1) * width / 64), right = Math.floor((4 * column + 3) * width / 64);
            let sum = 0;
            for (let y = top; y < bottom; y++) for (let x = left; x < right; x++) sum += luma[y * stride + x];
            bits = bits << 1 | (sum >= 126 * (bottom - top) * (right - left) ? 1 : 0);
        }
        values.push(bits);
    }
    return crc16(values[0]) === values[1] ? values[0] : null;
};

// The rows of brightness of a picture, the first of its planes.
const lumaOf = async (frame, rows) => {
    if (!/^(I420|NV12)/.test(frame.format)) throw new Error(`pictures come as ${frame.format}`);
    const { x, y, width, height } = frame.visibleRect;
    const rect = { x, y, width: width & ~1, height: Math.min(height & ~1, rows) };
    const bytes = new Uint8Array(frame.allocationSize({ rect }));
    const [{ offset, stride }] = await frame.copyTo(bytes, { rect });
    return { bytes: bytes.subarray(offset), stride, width: rect.width, height };
};

let held = null, nextMoment = null, lastWork = Promise.resolve();

// Keeps the picture that is on the screen, once for however many moments.
const keepHeld = async () => {
    if (held.kept === undefined) {
        const { bytes, stride, width, height } = await lumaOf(held.frame, held.frame.visibleRect.height);
        const luma = new Uint8Array(width * (height & ~1));
        for (let y = 0; y < (height & ~1); y++) luma.set(bytes.subarray(y * stride, y * stride + width), y * width);
        held.kept = call.pictures.push({ width, height: height & ~1, luma }) - 1;
    }
    return held.kept;
};
const lookUntil = async (now) => {
    for (; held && nextMoment < now; nextMoment += MOMENT) call.moments.push([nextMoment, held.place, await keepHeld()]);
};
const take = async (frame, now) => {
    nextMoment ??= now;
    await lookUntil(now);
    const { width, height } = frame.visibleRect;
    const band = await lumaOf(frame, 2 * Math.ceil(height / 18) + 2);
    const number = readNumber(band.bytes, band.stride, width, height);
    held?.frame.close();
    held = { frame, place: call.shown.push([now, number, width, height]) - 1 };
};
const watch = async (track) => {
    const video = Object.assign(document.createElement('video'), { muted: true, autoplay: true, width: 320 });
    video.srcObject = new MediaStream([track]);
    document.body.append(video);
    const onFrame = (now) => {
        video.requestVideoFrameCallback(onFrame);
        const frame = new VideoFrame(video);
        lastWork = lastWork.then(() => take(frame, now)).catch((error) => {
            frame.close();
            if (call.errors.length < 10) call.errors.push(String(error));
        });
    };
    video.requestVideoFrameCallback(onFrame);
};

// Sound

const RECORDER = `registerProcessor('recorder', class extends AudioWorkletProcessor {
    constructor() { super(); this.chunk = new Int16Array(1600); this.filled = 0; }
    process([[samples]]) {
        for (let i = 0; i < (samples?.length ?? 128); i++) {
            this.chunk[this.filled++] = samples ? Math.max(-32768, Math.min(32767, samples[i] * 32768)) : 0;
            if (this.filled === this.chunk.length) { this.port.postMessage(this.chunk.slice()); this.filled = 0; }
        }
        return true;
    }
});`;
const listen = async (track) => {
    const stream = new MediaStream([track]);
    // Without an element that plays it nothing is decoded.
    const audio = Object.assign(document.createElement('audio'), { muted: true, autoplay: true });
    audio.srcObject = stream;
    document.body.append(audio);
    const context = new AudioContext({ sampleRate: 8000 });
    await context.audioWorklet.addModule(URL.createObjectURL(new Blob([RECORDER], { type: 'text/javascript' })));
    const recorder = new AudioWorkletNode(context, 'recorder');
    recorder.port.onmessage = ({ data }) => {
        call.soundBegan ??= performance.now() - data.length / 8;
        call.sound.push(data);
    };
    context.createMediaStreamSource(stream).connect(recorder).connect(context.destination);
};

// Handing over

const base64 = (bytes) => {
    let text = '';
    for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    return btoa(text);
};
call.finish = async () => {
    await lastWork;
    await lookUntil(performance.now());
    call.peer.close();
    const { shown, moments, errors, soundBegan, pictures, received } = call;
    return { received, shown, moments, errors, soundBegan, now: performance.now(), sizes: pictures.map(({ width, height }) => [width, height]) };
};
call.picture = (index) => base64(call.pictures[index].luma);
call.soundBytes = () => {
    const all = new Int16Array(call.sound.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const chunk of call.sound) { all.set(chunk, at); at += chunk.length; }
    return base64(new Uint8Array(all.buffer));
};
