// The verification code of a call: one quiet line, and details on demand. It never claims that the call is secure: only the two
// people can know that both codes are the same.

import { $, announce, element, setText } from './view.js';

const PATIENCE = 10000;  // ms after the connection; then the view says that there is no code

let shown = null;  // the call, status and code that are shown

export function showVerification({ label: name, state, verification, connectedAt }) {
    const late = connectedAt && Date.now() - connectedAt > PATIENCE;
    const status = verification.status === 'waiting' && late ? 'silent' : verification.status;
    $('code').hidden = state !== 'running' || status === 'waiting';
    if (shown?.verification === verification && shown.status === status) return;
    shown = { verification, status };
    $('code').dataset.status = status;
    const { code } = verification;
    $('code-short').replaceChildren(...(code ? line(code) : [SHORT[status] ?? '']));
    $('code-pictures').replaceChildren(...(code?.emoji ?? []).map(({ symbol, name: picture }) =>
        element('li', {}, element('span', { 'aria-hidden': 'true' }, symbol), picture)));
    setText($('code-digits'), code ? grouped(code.digits) : '');
    setText($('code-text'), TEXT[status]?.(name, verification) ?? '');
    if (status === 'failed') {
        $('code').open = true;
        announce(`${SHORT.failed}. ${TEXT.failed(name)}`);
    }
}

export function hideVerification() {
    $('code').hidden = true;
    $('code').open = false;
    shown = null;
}

function line({ emoji, digits }) {
    const names = emoji.map(({ name }) => name).join(', ');
    return [
        element('span', { className: 'hidden-heading' }, `Code: ${names}; `),
        element('span', { className: 'emoji', 'aria-hidden': 'true' }, emoji.map(({ symbol }) => symbol).join('')),
        ` ${grouped(digits)}`,
    ];
}

function grouped(digits) { return digits.match(/.{3}/g).join('\u00a0'); }

const SHORT = {
    failed: 'Somebody may be in the middle',
    silent: 'No code',
    withdrawn: 'No code at this moment',
    impossible: 'No code',
};

const TEXT = {
    code: (name) => `Say the first pictures or digits to ${name}, and let ${name} say the others. If it is the same code, `
        + 'nobody is in the middle of this call. If it is another one, somebody can listen: hang up.',
    failed: (name) => `What this page and ${name}’s hold does not fit together. Somebody may listen to this call, or the `
        + 'other program is at fault. Say nothing here that nobody else should hear.',
    silent: (name) => `${name}’s side has sent none. So it cannot be told whether somebody is in the middle of this call.`,
    withdrawn: (name) => `A part of the connection with ${name} is being made anew. Until it is there, it cannot be told whether `
        + 'somebody is in the middle of this call.',
    impossible: (_, { reason }) => (reason === 'insecure'
        ? 'Browsers compute it only for pages that came over HTTPS.'
        : 'This browser does not tell which certificates the connection has.')
        + ' So it cannot be told whether somebody is in the middle of this call.',
};
