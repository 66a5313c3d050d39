// Sound and picture for the peer that chromium.js makes: a canvas and an oscillator as camera and microphone, and what is
// seen and heard of the other side.
window.addMedia = () => {
    const { peer } = window, { connection } = peer;
    const senders = {}, sources = {}, videos = [], listeners = [];
    let context;
    const audioContext = () => context ??= new AudioContext({ sampleRate: 48000 });

    // The test picture, as docs/codecs.md describes it.

    const crc16 = (bytes) => {
        let crc = 0xFFFF;
        for (const byte of bytes) {
            crc ^= byte << 8;
            for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1) & 0xFFFF;
        }
        return crc;
    };
    const drawTestPicture = (context, width, height, number) => {
        const clock = Math.round(performance.now() * 1000);
        const bytes = [24, 16, 8, 0].map((shift) => number >>> shift & 255);
        for (let i = 5; i >= 0; i--) bytes.push(Math.floor(clock / 256 ** i) & 255);
        const crc = crc16(bytes);
        bytes.push(crc >> 8, crc & 255);
        context.fillStyle = `hsl(${number % 360}, 40%, 50%)`;
        context.fillRect(0, 0, width, height);
        for (let i = 0; i < 96; i++) {
            const row = Math.floor(i / 32), column = i % 32;
            const [x0, x1] = [column, column + 1].map((c) => Math.floor(c * width / 32));
            const [y0, y1] = [row, row + 1].map((r) => Math.floor(r * height / 18));
            const value = bytes[i >> 3] >> (7 - i % 8) & 1 ? 220 : 32;
            context.fillStyle = `rgb(${value},${value},${value})`;
            context.fillRect(x0, y0, x1 - x0, y1 - y0);
        }
    };
    const readTestPicture = (image) => {
        const bits = [];
        for (let row = 0; row < 3; row++) {
            for (let column = 0; column < 32; column++) {
                const edge = (factor, index, size, count) => Math.floor((4 * index + factor) * size / (4 * count));
                const x0 = edge(1, column, image.width, 32), x1 = edge(3, column, image.width, 32);
                const y0 = edge(1, row, image.height, 18), y1 = edge(3, row, image.height, 18);
                let sum = 0, count = 0;
                for (let y = y0; y < Math.max(y1, y0 + 1); y++) {
                    for (let x = x0; x < Math.max(x1, x0 + 1); x++, count++) {
                        const at = 4 * (y * image.width + x);
                        sum += 0.299 * image.data[at] + 0.587 * image.data[at + 1] + 0.114 * image.data[at + 2];
                    }
                }
                bits.push(sum / count >= 128 ? 1 : 0);
            }
        }
        const bytes = [];
        for (let at = 0; at < 96; at += 8) bytes.push(bits.slice(at, at + 8).reduce((value, bit) => value * 2 + bit, 0));
        if (crc16(bytes.slice(0, 10)) !== bytes[10] * 256 + bytes[11]) return null;
        return bytes.slice(0, 4).reduce((value, byte) => value * 256 + byte, 0);
    };

    // What this side sends

    const makeVideo = (width, height) => {
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [width, height];
        const drawing = canvas.getContext('2d');
        let number = 0;
        const draw = () => drawTestPicture(drawing, canvas.width, canvas.height, number++);
        draw();
        const timer = setInterval(draw, 33);
        peer.resize = (width, height) => { [canvas.width, canvas.height] = [width, height]; };
        return { track: canvas.captureStream(30).getVideoTracks()[0], stop: () => clearInterval(timer) };
    };
    const makeAudio = (frequency) => {
        const context = audioContext();
        const oscillator = new OscillatorNode(context, { frequency });
        const gain = new GainNode(context, { gain: 0.25 });
        const output = new MediaStreamAudioDestinationNode(context, { channelCount: 1 });
        oscillator.connect(gain).connect(output);
        oscillator.start();
        return { track: output.stream.getAudioTracks()[0], stop: () => oscillator.stop() };
    };
    peer.addTrack = (kind) => {
        const source = kind === 'video' ? makeVideo(320, 180) : makeAudio(1000);
        sources[kind] = source;
        senders[kind] = connection.addTrack(source.track, new MediaStream([source.track]));
    };
    peer.removeTrack = (kind) => {
        connection.removeTrack(senders[kind]);
        sources[kind].track.stop();
        sources[kind].stop();
    };
    peer.setLayers = async (mode) => {
        const parameters = senders.video.getParameters();
        for (const encoding of parameters.encodings) encoding.scalabilityMode = mode;
        await senders.video.setParameters(parameters);
    };
    peer.setMuted = (kind, muted) => { sources[kind].track.enabled = !muted; };

    // What it gets

    connection.addEventListener('track', ({ track }) => {
        const stream = new MediaStream([track]);
        const element = document.createElement(track.kind);
        element.muted = true;
        element.autoplay = true;
        element.playsInline = true;
        element.srcObject = stream;
        document.body.append(element);
        if (track.kind === 'video') {
            const canvas = document.createElement('canvas');
            videos.push({ track, element, drawing: canvas.getContext('2d', { willReadFrequently: true }) });
        } else {
            const analyser = new AnalyserNode(audioContext(), { fftSize: 16384, smoothingTimeConstant: 0 });
            audioContext().createMediaStreamSource(stream).connect(analyser);
            listeners.push({ track, analyser });
        }
    });
    const look = ({ track, element, drawing }) => {
        const seen = {
            muted: track.muted, ended: track.readyState === 'ended', width: element.videoWidth,
            height: element.videoHeight, frames: element.getVideoPlaybackQuality().totalVideoFrames, number: null,
            brightness: null,
        };
        if (!seen.width) return seen;
        const { canvas } = drawing;
        [canvas.width, canvas.height] = [seen.width, seen.height];
        drawing.drawImage(element, 0, 0);
        const image = drawing.getImageData(0, 0, seen.width, seen.height);
        let sum = 0;
        for (let at = 1; at < image.data.length; at += 4) sum += image.data[at];
        seen.brightness = sum * 4 / image.data.length;
        seen.number = readTestPicture(image);
        return seen;
    };
    const listen = ({ track, analyser }) => {
        const decibels = new Float32Array(analyser.frequencyBinCount);
        analyser.getFloatFrequencyData(decibels);
        let best = 0;
        for (let i = 1; i < decibels.length; i++) if (decibels[i] > decibels[best]) best = i;
        const isHeard = decibels[best] > -60;
        return {
            muted: track.muted, ended: track.readyState === 'ended', level: decibels[best],
            frequency: isHeard ? best * audioContext().sampleRate / analyser.fftSize : null,
        };
    };
    // The newest track of each kind.
    peer.content = (kind) => {
        const all = kind === 'video' ? videos : listeners;
        if (!all.length) return null;
        return { track: all.length, ...(kind === 'video' ? look : listen)(all[all.length - 1]) };
    };
    peer.contentCount = (kind) => (kind === 'video' ? videos : listeners).length;
};
