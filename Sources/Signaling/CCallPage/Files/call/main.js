// The page: connects the parts. `signaling` is the connection to the server, `phone` determines the current call, `call` and
// `link` are that call and its connection, `media` has the devices, and the views show them.

import { CallView } from './call-view.js';
import { DevicesView } from './devices-view.js';
import { LobbyView } from './lobby-view.js';
import { Media } from './media.js';
import { People } from './people.js';
import { Phone } from './phone.js';
import { Ringtone } from './ringtone.js';
import { readSettings, remember } from './settings.js';
import { Signaling, randomIdentifier, signalingURL, userFromName } from './signaling.js';
import {
    $, TITLE, clearNotices, describeOutcome, describeProblem, describeRefusal, dismiss, notify, paintAvatar, setText, showScreen,
} from './view.js';

const REST_DELAY = 20000;  // a hidden page releases the camera after this time

const settings = readSettings(location);
if (settings.token) history.replaceState(null, '', location.pathname + location.search);

const media = new Media(settings);
const ringtone = new Ringtone(settings.silent);
const devicesView = new DevicesView(media);
const callView = new CallView(media, settings);
let signaling = null, phone = null, people = null;

// The lobby shows problems itself; during a call, a notice does.
media.addEventListener('problem', ({ detail: { kind, code } }) => {
    if (phone?.call) notify(describeProblem([kind], code), { kind: 'error', id: kind });
});

media.addEventListener('replaced', ({ detail: { kind, label } }) => {
    if (!phone?.call) return;
    const thing = kind === 'audio' ? 'microphone' : 'camera';
    notify(`Your ${thing} was unplugged. Now “${label}” is used.`, { id: kind });
});

// Signing in

function showSignIn() {
    showScreen('sign-in');
    setText($('connection'), '');
    $('connection').dataset.state = 'none';
    $('sign-out').hidden = true;
    $('sign-in-name').value ||= settings.name;
    $('sign-in-token').value ||= settings.token;
    $('sign-in-token-field').hidden = !$('sign-in-token').value;
    const plan = [
        settings.call && `You are about to call ${settings.call}.`,
        settings.autoAnswer && 'Calls will be answered at once, with your camera and microphone.',
    ].filter(Boolean).join(' ');
    setText($('sign-in-plan'), plan);
    $('sign-in-plan').hidden = !plan;
    $('sign-in-submit').disabled = false;
    hintName();
    if (!matchMedia('(pointer: coarse)').matches) $('sign-in-name').focus();
}

function hintName() {
    const user = userFromName($('sign-in-name').value);
    const same = user === $('sign-in-name').value.trim();
    setText($('sign-in-hint'), user && !same ? `Others call you ${user}.` : 'Others call you by it.');
}

function submitSignIn() {
    const name = $('sign-in-name').value.trim(), token = $('sign-in-token').value.trim();
    const user = userFromName(name);
    $('sign-in-name').toggleAttribute('aria-invalid', !user && !token);
    if (!user && !token) {
        setText($('sign-in-error'), name ? 'Use some letters from a to z, or digits.' : 'Write your name first.');
        $('sign-in-name').focus();
        return;
    }
    setText($('sign-in-error'), '');
    $('sign-in-submit').disabled = true;
    const credentials = { device: randomIdentifier().slice(0, 12) };
    if (user) credentials.user = user;
    if (name) credentials.name = [...name].slice(0, 64).join('');
    if (token) credentials.token = token;
    signIn(credentials);
}

function signIn(credentials) {
    const own = new Signaling(signalingURL(location), credentials);
    signaling = own;
    phone = new Phone(own, media, settings);
    followPhone();
    own.addEventListener('state', ({ detail }) => signaling === own && showConnection(detail));
    own.addEventListener('refused', ({ detail: { error } }) => {
        if (signaling !== own) return;
        const text = describeRefusal(error, Boolean(credentials.token));
        if (phone.call?.answered) {
            // The call does not need the server. The closed connection reports its end.
            setText($('connection'), 'Signed out by the server');
            notify(`${text} Your call goes on.`, { kind: 'error', seconds: 0 });
            phone.addEventListener('ended', () => setTimeout(() => leave(own, error, text)), { once: true });
        } else {
            phone.call?.drop({ code: 'hungUp' });
            leave(own, error, text);
        }
    });
    own.addEventListener('token', ({ detail }) => signaling === own && demandToken(own, detail));
    own.addEventListener('renewed', () => dismiss('token'));
    own.addEventListener('welcome', ({ detail: { welcome } }) => {
        if (signaling !== own || people) return;
        remember('name', credentials.name ?? welcome.name ?? welcome.user);
        begin(welcome);
    });
    own.start();
}

/** The token expires, or has expired: requests another one. A call continues without, and so does the page during the call. */
function demandToken(own, { left, error }) {
    const action = { label: 'Enter another token', run: () => $('renewal').showModal() };
    if (!error) {
        const time = left < 90 ? `${Math.ceil(left)} seconds` : `${Math.round(left / 60)} minutes`;
        return notify(`Your token ends in ${time}.`, { id: 'token', seconds: 0, action });
    }
    const text = describeRefusal(error, true);
    const end = () => { own.stop(); leave(own, error, text); };
    // A ringing call waits for another token too: without a socket nobody could be told that it is over.
    if (!phone.call) return end();
    setText($('connection'), 'Signed out by the server');
    dismiss('server');
    const rest = phone.call.answered ? 'Your call goes on.' : 'Your call waits for another token.';
    notify(`${text} ${rest}`, { id: 'token', kind: 'error', seconds: 0, action });
    let isRenewed = false;
    own.addEventListener('welcome', () => { isRenewed = true; }, { once: true });
    phone.addEventListener('ended', () => setTimeout(() => isRenewed || end()), { once: true });
}

function renewToken() {
    const token = $('renewal-token').value.trim();
    $('renewal-token').value = '';
    if (token) signaling?.renew(token);
}

/** Returns to the first screen, because the server refuses the sign-in. */
function leave(own, error, text) {
    if (signaling !== own) return;
    signaling = phone = people = null;
    media.close();
    showSignIn();
    if (['unauthorized', 'forbidden', 'tokenExpired'].includes(error.code)) {
        $('sign-in-token-field').hidden = false;
        $('sign-in-token').focus();
    }
    setText($('sign-in-error'), text);
}

function begin({ user }) {
    people = new People(signaling, phone, user);
    new LobbyView({ people, me: user, onCall: placeCall });
    $('sign-out').hidden = false;
    if (settings.call && userFromName(settings.call) !== user) {
        $('call-name').value = settings.call;
        people.ask(userFromName(settings.call));
    }
    if (!phone.call) showScreen('lobby');
    media.open();
    if (settings.autoCall && settings.call) {
        settings.autoCall = false;
        placeCall(userFromName(settings.call));
    }
}

function signOut() {
    phone?.call?.hangUp('left');
    signaling?.stop();
    signaling = phone = people = null;
    settings.autoSignIn = settings.autoAnswer = settings.autoCall = false;
    settings.call = settings.token = '';
    $('sign-in-token').value = $('call-name').value = '';
    media.close();
    clearNotices();
    showSignIn();
}

function showConnection({ state, retryAt }) {
    const { welcome } = signaling;
    $('connection').dataset.state = state;
    callView.isOnline = state === 'online';
    if (state === 'online') {
        dismiss('server');
        setText($('connection'), `Signed in as ${signaling.welcome.name ?? signaling.welcome.user}`);
    } else if (welcome) {
        setText($('connection'), 'The server is away. Trying again…');
        // During a call only a note: audio and video do not pass through the server.
        if (state === 'away' && phone.call) {
            notify('The server is away. Your call goes on.', { id: 'server', seconds: 8 });
        }
    } else if (state === 'away') {
        const seconds = Math.max(1, Math.round((retryAt - Date.now()) / 1000));
        setText($('sign-in-error'), `The server does not answer. Trying again in ${seconds} s…`);
    }
    if (state === 'online') setText($('sign-in-error'), '');
}

// Calls

function placeCall(user) {
    if (phone.call) return;
    if (!signaling.online) {
        notify('The server is away at this moment. Try again when it is back.', { kind: 'error' });
        return;
    }
    clearNotices();
    people.add(user);
    if (!media.tracks.audio && !media.tracks.video) media.open();
    const name = people.nameOf(user);
    phone.place(user, name, people.isProven(user, name));
}

function followPhone() {
    const own = phone;
    const on = (name, react) => own.addEventListener(name, ({ detail }) => own === phone && react(detail));
    let shown = null;  // the call on the call screen
    const show = ({ call }) => {
        document.body.dataset.call = call?.state ?? 'none';
        showIncoming(call?.state === 'incoming' ? call : null);
        ringtone.play(call?.state === 'incoming' ? 'incoming' : call?.state === 'ringing' ? 'outgoing' : null);
        const about = call && (call.state === 'incoming' ? `${call.label} calls` : call.label);
        document.title = about ? `${about} – ${TITLE}` : TITLE;
        if (!call?.link) return;
        if (shown !== call) {
            shown = call;
            clearNotices();
            showScreen('call');
            callView.begin(call);
        }
        callView.show();
    };
    on('call', ({ call }) => {
        show({ call });
        if (call || !shown) return;
        shown = null;
        callView.end();
        showScreen('lobby');
    });
    on('change', show);
    on('ended', ({ call }) => {
        const { user, name, nameIsProven } = call.peer;
        if (user) people?.add(user, name ?? user, nameIsProven === true);
        document.body.dataset.outcome = call.outcome.code;
        if ($('devices').open) $('devices').close();
        const text = describeOutcome(call);
        const again = ['busy', 'noAnswer', 'missed', 'connectionFailed', 'unavailable'].includes(call.outcome.code);
        const action = again ? { label: call.isCaller ? 'Call again' : 'Call back', run: () => placeCall(user) } : null;
        if (text) notify(text, { action, seconds: call.outcome.code === 'missed' ? 0 : 20 });
    });
    on('missed', ({ name }) => notify(`${name} called while you were in a call.`, { seconds: 30 }));
}

function showIncoming(call) {
    const dialog = $('incoming');
    if (!call) {
        if (dialog.open) dialog.close();
        return;
    }
    if (dialog.open) return;
    setText($('incoming-title'), `${call.name} calls`);
    const what = call.media.includes('video') ? 'Video call' : 'Call';
    // The caller has chosen the name, unless it is proven; the server vouches for the user.
    setText($('incoming-text'), call.identifier ? `${what} from ${call.identifier}` : what);
    paintAvatar($('incoming-avatar'), call.name);
    $('incoming-accept').onclick = () => { media.open(); call.accept(); };
    $('incoming-reject').onclick = () => call.hangUp();
    if ($('devices').open) $('devices').close();
    dialog.showModal();
    $('incoming-accept').focus();
}

// Actions of the user

const ACTIONS = {
    'microphone': () => devicesView.toggle('audio'),
    'camera': () => devicesView.toggle('video'),
    'switch-camera': () => devicesView.switchCamera(),
    'devices': () => devicesView.open(),
    'chat': () => callView.togglePanel('chat'),
    'statistics': () => callView.togglePanel('statistics'),
    'close-panel': () => callView.togglePanel(callView.panel),
    'hang-up': () => phone?.call?.hangUp(),
};

document.addEventListener('click', ({ target }) => {
    ACTIONS[target.closest?.('[data-action]')?.dataset.action]?.();
});

const KEYS = { KeyM: 'microphone', KeyV: 'camera', KeyS: 'switch-camera', KeyC: 'chat', KeyI: 'statistics', KeyH: 'hang-up' };

document.addEventListener('keydown', (event) => {
    if (document.body.dataset.screen !== 'call' || document.querySelector('dialog[open]')) return;
    if (event.key === 'Escape' && callView.panel) return ACTIONS['close-panel']();
    const action = event.altKey && !event.ctrlKey && !event.metaKey && KEYS[event.code];
    if (!action) return;
    event.preventDefault();
    ACTIONS[action]();
});

$('incoming').addEventListener('cancel', (event) => event.preventDefault());  // Escape must not decide about a call
$('sign-in-form').onsubmit = (event) => { event.preventDefault(); submitSignIn(); };
$('sign-in-name').oninput = hintName;
$('sign-out').onclick = signOut;
$('renewal-form').onsubmit = renewToken;  // and the dialog closes by itself
$('renewal-cancel').onclick = () => $('renewal').close();
// The program that opened the page can pass another token, in the same way as the first one.
addEventListener('hashchange', () => {
    const { token } = readSettings(location);
    if (!token) return;
    history.replaceState(null, '', location.pathname + location.search);
    if (signaling) return signaling.renew(token);
    $('sign-in-token').value = token;
});

// The page becomes visible, hidden, or is left

addEventListener('pagehide', () => signaling?.stop());
addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
addEventListener('beforeunload', (event) => { if (phone?.call?.connectedAt) event.preventDefault(); });

let resting;
document.addEventListener('visibilitychange', () => {
    clearTimeout(resting);
    if (!signaling) return;
    if (document.visibilityState === 'visible') media.open();
    else resting = setTimeout(() => phone && !phone.call && media.close(), REST_DELAY);
});

showSignIn();
if (settings.autoSignIn) submitSignIn();
