// The screen before a call: the local video, whom to call, and who is online.

import { userFromName } from './signaling.js';
import { shownName } from './unproven-name.js';
import { $, announce, element, icon, paintAvatar, setText } from './view.js';

const ASK_DELAY = 250;
const STATES = { online: 'Here', away: 'Away for a moment', offline: 'Not here', unknown: '…' };

/** `onCall(user)`. */
export class LobbyView {
    #people;
    #me;
    #onCall;
    #asking;

    constructor({ people, me, onCall }) {
        this.#people = people;
        this.#me = me;
        this.#onCall = onCall;
        people.addEventListener('change', () => this.#show());
        $('call-form').onsubmit = (event) => { event.preventDefault(); this.#submit(); };
        $('call-name').oninput = () => this.#ask();
        $('share').onclick = () => this.#share();
        this.#show();
    }

    #submit() {
        const user = userFromName($('call-name').value);
        $('call-name').toggleAttribute('aria-invalid', !user);
        if (!user) {
            setText($('call-hint'), 'Write the name of somebody first.');
            $('call-name').focus();
        } else if (user === this.#me) {
            setText($('call-hint'), 'That is you.');
        } else {
            this.#onCall(user);
        }
    }

    #ask() {
        $('call-name').removeAttribute('aria-invalid');
        clearTimeout(this.#asking);
        this.#asking = setTimeout(() => {
            this.#people.ask(userFromName($('call-name').value));
            this.#showHint();
        }, ASK_DELAY);
    }

    #showHint() {
        const user = userFromName($('call-name').value);
        const { state, devices } = this.#people.presence(user);
        const words = {
            online: `${user} is here${devices > 1 ? `, on ${devices} devices` : ''}.`,
            away: `${user} is away for a moment.`, offline: `${user} is not here now.`,
        };
        setText($('call-hint'), (user && words[state]) || 'Whoever is signed in here can be called.');
    }

    #show() {
        this.#showHint();
        // Only changes are rendered again, so that a focused button keeps the focus.
        const old = new Map([...$('people').children].map((row) => [row.dataset.key, row]));
        const rows = this.#people.list.map((one) => {
            const key = JSON.stringify(one);
            return old.get(key) ?? this.#row(one, key);
        });
        const focused = document.activeElement?.closest?.('#people li');
        const again = focused && [focused.dataset.user, document.activeElement.className];
        if (rows.length !== old.size || rows.some((row, index) => $('people').children[index] !== row)) {
            $('people').replaceChildren(...rows);
            if (again) {
                [...$('people').children].find((row) => row.dataset.user === again[0])
                    ?.querySelector(`button.${again[1]}`)?.focus();
            }
        }
    }

    #row({ user, name: called, state, devices }, key) {
        const name = this.#people.isProven(user, called) ? called : shownName(called) || user;
        const avatar = element('span', { className: 'avatar' });
        paintAvatar(avatar, name);
        const label = name === user ? name : `${name} (${user})`;
        const where = state === 'online' && devices > 1 ? `Here, on ${devices} devices` : STATES[state];
        const row = element('li', { 'data-key': key, 'data-user': user, 'data-state': state },
            element('span', { className: 'face', 'aria-hidden': 'true' }, avatar),
            element('span', { className: 'who' }, element('b', {}, name),
                element('small', {}, name === user ? where : `${user} · ${where}`)),
            element('button', { className: 'remove', type: 'button', 'aria-label': `Remove ${label} from the list`,
                onclick: () => { this.#people.remove(user); $('people-title').focus(); } }, icon('close')),
            element('button', { className: 'secondary', type: 'button', 'aria-label': `Call ${label}`,
                onclick: () => this.#onCall(user) }, icon('phone'), 'Call'));
        return row;
    }

    async #share() {
        const link = new URL('.', location.href);
        link.searchParams.set('call', this.#me);
        const said = $('share').querySelector('span');
        try {
            await navigator.clipboard.writeText(link.href);
            setText(said, 'Copied');
            announce('The link was copied.');
            setTimeout(() => setText(said, 'Copy link'), 2500);
        } catch {
            prompt('Copy this link:', link.href);  // no clipboard without TLS
        }
    }
}
