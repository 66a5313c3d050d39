// The parameters of the page's address, which docs/call-page.md lists, and the settings that this browser stores.

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
        // The fragment is sent to no server, and is in no log.
        token: fragment.get('token') ?? '',
        call: query.get('call') ?? '',
        autoAnswer: auto.has('answer'),
        autoCall: auto.has('call'),
        // A link must not switch on the camera of somebody who only opened it, or answer for them. It may do so at an address
        // of this machine; elsewhere the user presses a button, beside which it says what will happen.
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

// Storage may be disabled; the page works without.
export function recall(key) {
    try { return JSON.parse(localStorage.getItem(`duet.${key}`)); } catch { return null; }
}

export function remember(key, value) {
    try { localStorage.setItem(`duet.${key}`, JSON.stringify(value)); } catch { /* then not */ }
}
