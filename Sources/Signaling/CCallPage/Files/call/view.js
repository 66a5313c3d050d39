// The shared parts of the screens: which one is shown, the notice at the top, and the texts for outcomes.

export const $ = (id) => document.getElementById(id);

export const TITLE = document.title;

/** An element with properties, attributes (`aria-…`, `data-…`) and children. */
export function element(name, properties = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) {
        if (key.includes('-') || key === 'role') made.setAttribute(key, value);
        else made[key] = value;
    }
    made.append(...children);
    return made;
}

export function icon(name) {
    const SVG = 'http://www.w3.org/2000/svg';
    const svg = document.createElementNS(SVG, 'svg'), use = document.createElementNS(SVG, 'use');
    svg.setAttribute('class', 'icon');
    svg.setAttribute('aria-hidden', 'true');
    use.setAttribute('href', `#icon-${name}`);
    svg.append(use);
    return svg;
}

export function setIcon(holder, name) {
    holder.querySelector('use').setAttribute('href', `#icon-${name}`);
}

/** Writes only a changed text, so that a live region does not announce it twice. */
export function setText(holder, text) {
    if (holder.textContent !== text) holder.textContent = text;
}

/** Up to two letters, and one of a few colours, always the same for a name. */
export function paintAvatar(holder, name) {
    const words = name.split(/[\s._\-@]+/).filter(Boolean);
    const letters = words.length > 1 ? [words[0], words.at(-1)] : [name];
    setText(holder, letters.map((word) => [...word][0] ?? '').join('').toUpperCase());
    let sum = 0;
    for (const character of name.toLowerCase()) sum = (sum * 31 + character.codePointAt(0)) % 9973;
    holder.dataset.tint = sum % 6;
}

export function showScreen(name) {
    if (document.body.dataset.screen === name && !$(`screen-${name}`).hidden) return;
    document.body.dataset.screen = name;
    for (const screen of document.querySelectorAll('.screen')) screen.hidden = screen.id !== `screen-${name}`;
    // A screen reader announces the screen; focus on a text field would open a phone's keyboard.
    $(`screen-${name}`).querySelector('h1').focus({ preventScroll: true });
    scrollTo(0, 0);
}

/** Announces a text to screen readers. */
export function announce(text) {
    $('announcer').textContent = '';
    requestAnimationFrame(() => { $('announcer').textContent = text; });
}

/** A line at the top until it is dismissed, or for a while. `action`: {label, run}. */
export function notify(text, { kind = 'status', action = null, seconds = 12, id = null } = {}) {
    if (id) dismiss(id);
    const role = kind === 'error' ? 'alert' : 'status';
    const notice = element('div', { className: 'notice', role }, element('p', {}, text));
    if (id) notice.dataset.notice = id;
    if (action) {
        notice.append(element('button', {
            className: 'secondary', type: 'button', onclick: () => { notice.remove(); action.run(); },
        }, action.label));
    }
    notice.append(element('button', {
        className: 'close', type: 'button', 'aria-label': 'Dismiss', onclick: () => notice.remove(),
    }, icon('close')));
    $('notices').append(notice);
    while ($('notices').children.length > 3) $('notices').firstChild.remove();
    if (!seconds) return;
    const leave = () => {
        // Not while somebody presses it.
        if (notice.matches(':hover, :focus-within')) setTimeout(leave, 2000);
        else notice.remove();
    };
    setTimeout(leave, 1000 * seconds);
}

export function dismiss(id) {
    for (const notice of [...$('notices').children]) if (notice.dataset.notice === id) notice.remove();
}

export function clearNotices() { $('notices').replaceChildren(); }

/** How a call ended, in words; empty if there is nothing to report. */
export function describeOutcome({ label: name, outcome, connectedAt }) {
    const lasted = connectedAt ? ` The call lasted ${duration(Date.now() - connectedAt)}.` : '';
    switch (outcome.code) {
        case 'declined': return `${name} declined the call.`;
        case 'busy': return `${name} is in another call.`;
        case 'noAnswer': return `${name} did not answer.`;
        case 'unavailable': return `${name} is not here.`;
        case 'missed':
            return outcome.reason === 'connectionLost' ? `${name} called, and was cut off.`
                : `You missed a call from ${name}.`;
        case 'answeredElsewhere': return 'Answered on another device.';
        case 'rejectedElsewhere': return 'Declined on another device.';
        case 'hungUp': return connectedAt ? `You hung up.${lasted}` : '';
        case 'theyHungUp':
            switch (outcome.reason) {
                case 'connectionFailed': return `The connection with ${name} broke.${lasted}`;
                case 'mediaFailed': return `${name} could not use the sound or picture.`;
                case 'left': return `${name} left.${lasted}`;
                case 'replaced': return `${name} took another call.${lasted}`;
                case 'cancelled': return `${name} gave up.`;
                default: return `${name} hung up.${lasted}`;
            }
        case 'connectionFailed':
            return connectedAt ? `The connection with ${name} is lost.${lasted}`
                : `No connection to ${name} could be made. A network in between may forbid it.`;
        case 'mediaFailed':
            return connectedAt ? `The call had to end: what the other side asked for cannot be used here.${lasted}`
                : 'The call could not begin: the two sides understand no common sound or picture.';
        case 'error':
            switch (outcome.reason) {
                case 'forbidden': return `You may not call ${name}.`;
                case 'tooManyCalls': return `${name} has too many calls at this moment.`;
                default: return `The call was not possible: ${outcome.message ?? outcome.reason}`;
            }
        default: return '';
    }
}

export function describeRefusal({ code, message }, hadToken) {
    switch (code) {
        case 'unauthorized':
            return hadToken ? 'The server does not take this token. It may be wrong, or too old.'
                : 'This server asks for a token.';
        case 'forbidden': return 'This token belongs to another name.';
        case 'tokenExpired': return 'Your token has ended.';
        case 'deviceInUse': return 'Somebody is signed in here as this already. Try again, or take another name.';
        case 'unsupportedVersion': return 'This page and the server do not fit each other. Load the page again.';
        case 'malformed': case 'tooLarge':
            return 'The server cannot read what this page says of you. Take a shorter name or token, or load the page again.';
        case 'replaced': return 'You signed in elsewhere, and were signed out here.';
        default: return message ?? 'The server refused.';
    }
}

const PROBLEMS = {
    denied: (things) => `The browser may not use your ${things}. Allow it in the address bar, then switch it on.`,
    missing: (things) => `No ${things} was found. You can call without: you see and hear the other side.`,
    busy: (things) => `Another program uses your ${things}. Close that, then switch it on.`,
    insecure: (things) => `Browsers give the ${things} only to pages that came over HTTPS. You can call without.`,
    unplugged: (things) => `Unplugged, or taken away: your ${things}. Plug one in, and the call goes on with it.`,
    failed: (things) => `The browser could not start your ${things}.`,
};

/** The problem of the devices of these kinds, in words. */
export function describeProblem(kinds, code) {
    const names = kinds.map((kind) => kind === 'audio' ? 'microphone' : 'camera');
    return PROBLEMS[code](names.join(code === 'missing' ? ' or ' : ' and '));
}

/** 65,000 ms is "1:05". */
export function duration(milliseconds) {
    const seconds = Math.max(0, Math.floor(milliseconds / 1000));
    const two = (number) => String(number).padStart(2, '0');
    const minutes = Math.floor(seconds / 60);
    return minutes < 60 ? `${minutes}:${two(seconds % 60)}`
        : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`;
}
