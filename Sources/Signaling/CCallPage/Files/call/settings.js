// What the address of the page asks for: docs/call-page.md lists it. And what this browser remembers of a person.

const HERE = ['localhost', '127.0.0.1', '[::1]'];

export function readSettings(location) {
    const query = new URLSearchParams(location.search);
    const fragment = new URLSearchParams(location.hash.slice(1));
    const auto = new Set((query.get('auto') ?? '').split(/[\s,]+/).filter(Boolean));
    const number = (name, fallback, least, most) => {
        const value = Number.parseFloat(query.get(name));
        return Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : fallback;
    };
    const [width, height] = /^(\d{2,4})x(\d{2,4})$/.exec(query.get('size') ?? '')?.slice(1).map(Number) ?? [1280, 720];
    return {
        name: query.get('name') ?? recall('name') ?? '',
        // In the fragment a token is not sent to any server, and is in no log.
        token: fragment.get('token') ?? '',
        call: query.get('call') ?? '',
        autoAnswer: auto.has('answer'),
        autoCall: auto.has('call'),
        // A link must not be able to switch on a camera and answer for a person who only opened it. On this machine's
        // own address it can; from anywhere else the person presses a button, and is told what it does.
        autoSignIn: query.has('name') && auto.size > 0 && HERE.includes(location.hostname),
        audio: choice(query.get('audio')),
        video: choice(query.get('video')),
        width, height,
        codec: query.get('codec')?.toLowerCase() ?? null,
        lifetime: number('lifetime', 30, 1, 120),
        patience: number('patience', 30, 1, 600),
        panel: ['chat', 'statistics'].includes(query.get('panel')) ? query.get('panel') : null,
        silent: query.get('sounds') === 'off',
    };
}

function choice(value) {
    return ['none', 'off'].includes(value) ? value : 'on';
}

// Storage may be forbidden; the page works without.
export function recall(key) {
    try { return JSON.parse(localStorage.getItem(`duet.${key}`)); } catch { return null; }
}

export function remember(key, value) {
    try { localStorage.setItem(`duet.${key}`, JSON.stringify(value)); } catch { /* then not */ }
}
