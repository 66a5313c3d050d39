// The choice of camera, microphone and speaker, the buttons that switch them, and their errors.

import { $, announce, describeProblem, element, setIcon, setText } from './view.js';

export class DevicesView {
    #media;
    #meter = null;

    constructor(media) {
        this.#media = media;
        media.addEventListener('change', () => this.show());
        media.addEventListener('track', ({ detail: { kind } }) => kind === 'audio' && this.#listen());
        for (const kind of ['video', 'audio', 'speaker']) {
            $(`device-${kind}`).onchange = ({ target }) => media.select(kind, target.value);
        }
        $('device-mirror').onchange = ({ target }) => media.setMirrored(target.checked);
        this.show();
    }

    open() { $('devices').showModal(); }

    async toggle(kind) {
        const on = !this.#media.live(kind);
        await this.#media.turn(kind, on);
        const thing = kind === 'audio' ? 'Microphone' : 'Camera';
        if (this.#media.live(kind) === on) announce(`${thing} ${on ? 'on' : kind === 'audio' ? 'muted' : 'off'}`);
    }

    /** Switches to another camera, and shows which. */
    async switchCamera() {
        await this.#media.switchCamera();
        const { label } = this.#media.video.track ?? {};
        if (label) announce(`Camera: ${label}`);
    }

    show() {
        this.#showButtons('microphone', 'audio', 'Unmute microphone', 'Mute microphone');
        this.#showButtons('camera', 'video', 'Switch camera on', 'Switch camera off');
        this.#showChoices('video', 'camera');
        this.#showChoices('audio', 'microphone');
        this.#showChoices('speaker', 'speaker');
        this.#showProblems();
        this.#showPreview();
        this.#showMirror();
        for (const button of document.querySelectorAll('[data-action="switch-camera"]')) {
            button.hidden = !this.#media.canSwitch;
        }
        const { speaker } = this.#media;
        const remote = $('remote');
        if ('setSinkId' in remote && remote.sinkId !== speaker) remote.setSinkId(speaker).catch(() => {});
    }

    #showButtons(action, kind, whenOff, whenOn) {
        const live = this.#media.live(kind);
        for (const button of document.querySelectorAll(`[data-action="${action}"]`)) {
            button.setAttribute('aria-label', live ? whenOn : whenOff);
            button.setAttribute('aria-pressed', !live);
            setIcon(button, live ? action : `${action}-off`);
        }
    }

    #showChoices(kind, thing) {
        const select = $(`device-${kind}`), devices = this.#media.devices[kind];
        if (kind === 'speaker') $('device-speaker-field').hidden = !('setSinkId' in $('remote')) || !devices.length;
        const options = devices.map(({ deviceId, label }, index) => [deviceId, label || `${thing} ${index + 1}`]);
        if (!devices.some(({ deviceId }) => deviceId === 'default')) {
            options.unshift(['', devices.length ? `Any ${thing}` : `No ${thing} found`]);
        }
        if (kind !== 'speaker') options.push(['none', `No ${thing}`]);
        const key = JSON.stringify(options);
        if (select.dataset.key !== key) {
            select.dataset.key = key;
            select.replaceChildren(...options.map(([value, label]) => element('option', { value }, label)));
        }
        const chosen = kind === 'speaker' ? this.#media.speaker : this.#media[kind].chosen;
        const used = kind === 'speaker' ? null : this.#media[kind].track?.getSettings().deviceId;
        const offered = (one) => options.some(([option]) => option === one);
        const value = [chosen || null, used, 'default', ''].find(offered);
        if (select.value !== value) select.value = value ?? '';
    }

    #showProblems() {
        const kinds = ['video', 'audio'].filter((kind) => this.#media[kind].problem && this.#media.has(kind));
        const codes = new Set(kinds.map((kind) => this.#media[kind].problem));
        // One line per cause.
        const lines = [...codes].map((code) => (
            describeProblem(kinds.filter((kind) => this.#media[kind].problem === code), code)));
        for (const list of [$('lobby-problems'), $('device-problems')]) {
            const key = lines.join('\n');
            if (list.dataset.key === key) continue;
            list.dataset.key = key;
            list.replaceChildren(...lines.map((line) => element('li', {}, line)));
        }
    }

    #showPreview() {
        const { track, chosen } = this.#media.video;
        const shown = $('preview').srcObject?.getVideoTracks()[0] ?? null;
        if (shown !== track) $('preview').srcObject = track ? new MediaStream([track]) : null;
        $('preview').hidden = !track;
        $('preview-none').hidden = Boolean(track);
        setText($('preview-text'), chosen === 'none' ? 'You call without a camera' : 'Your camera is off');
        $('level-row').hidden = !this.#media.audio.track;
    }

    #showMirror() {
        const { canMirror, mirrored } = this.#media;
        for (const id of ['preview', 'self']) $(id).classList.toggle('mirrored', mirrored);
        $('device-mirror-field').hidden = !canMirror;
        if (canMirror) $('device-mirror').checked = mirrored;
    }

    /** Shows the microphone's level while the lobby is visible. */
    #listen() {
        clearInterval(this.#meter?.timer);
        this.#meter?.context.close();
        this.#meter = null;
        const { track } = this.#media.audio;
        if (!track) return;
        const context = new AudioContext();
        const analyser = context.createAnalyser();
        analyser.fftSize = 512;
        context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
        const samples = new Float32Array(analyser.fftSize);
        const timer = setInterval(() => {
            if ($('screen-lobby').hidden) return context.state === 'running' && context.suspend().catch(() => {});
            // Before the first gesture a browser would only log a warning; and a context may be closed before it has started.
            const mayStart = navigator.userActivation?.hasBeenActive !== false;
            if (context.state === 'suspended' && mayStart) context.resume().catch(() => {});
            analyser.getFloatTimeDomainData(samples);
            const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
            const decibels = 10 * Math.log10(power + 1e-9);
            $('level').value = Math.min(1, Math.max(0, (decibels + 60) / 50));
        }, 100);
        this.#meter = { context, timer };
    }
}
