// Two soft notes while it rings, synthesized, so that no file is loaded. A browser that requires a gesture stays silent until
// then.

const NOTES = { incoming: [659.26, 830.61], outgoing: [440, 440] };
const PERIOD = { incoming: 2400, outgoing: 4000 };

export class Ringtone {
    #context = null;
    #timer = null;
    #kind = null;
    #silent;

    constructor(silent) { this.#silent = silent; }

    /** `incoming`, `outgoing`, or null for silence. */
    play(kind) {
        if (kind === this.#kind || this.#silent) return;
        this.#kind = kind;
        clearInterval(this.#timer);
        this.#context?.close();
        this.#context = null;
        navigator.vibrate?.(0);
        if (!kind) return;
        const context = this.#context = new AudioContext();
        context.resume().then(() => context === this.#context && this.#sound(kind), () => {});
        this.#timer = setInterval(() => this.#sound(kind), PERIOD[kind]);
    }

    #sound(kind) {
        const context = this.#context;
        if (kind === 'incoming' && navigator.userActivation?.hasBeenActive) navigator.vibrate?.([300, 150, 300]);
        if (context.state !== 'running') return;
        for (const [index, frequency] of NOTES[kind].entries()) {
            const start = context.currentTime + 0.05 + index * 0.28;
            const tone = context.createOscillator(), volume = context.createGain();
            tone.type = 'sine';
            tone.frequency.value = frequency;
            volume.gain.setValueAtTime(0, start);
            volume.gain.linearRampToValueAtTime(kind === 'incoming' ? 0.12 : 0.04, start + 0.03);
            volume.gain.exponentialRampToValueAtTime(0.001, start + 0.5);
            tone.connect(volume).connect(context.destination);
            tone.start(start);
            tone.stop(start + 0.55);
        }
    }
}
