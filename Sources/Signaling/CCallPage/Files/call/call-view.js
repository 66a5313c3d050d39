// The screen of a call: remote and local video, the state of the call, the chat and the statistics.

import { Statistics } from './statistics.js';
import { qualityText } from './quality.js';
import { hideVerification, showVerification } from './verification-view.js';
import { $, announce, duration, element, paintAvatar, setText } from './view.js';

const MOST_CROPPED = 1.4;  // a video fills the stage if no more than this is cropped; otherwise it is shown whole
const STILL_PICTURE = 3;  // seconds without a new frame after which video counts as lost

export class CallView {
    isOnline = true;  // whether the server is reachable
    #call = null;
    #media;
    #settings;
    #statistics = null;
    #clock;
    #unread = 0;
    #panel = null;
    #stillFor = 0;
    #hadPicture = false;

    constructor(media, settings) {
        this.#media = media;
        this.#settings = settings;
        $('chat-form').onsubmit = (event) => {
            event.preventDefault();
            this.#call?.chat?.send($('chat-text').value);
            $('chat-text').value = '';
        };
        $('call-play').onclick = () => this.#play();
        media.addEventListener('change', () => this.#call && this.#showSelf());
        new ResizeObserver(() => this.#fit()).observe($('stage'));
    }

    begin(call) {
        this.end();
        this.#call = call;
        this.#hadPicture = false;
        $('chat-messages').replaceChildren();
        $('chat-messages').dataset.empty = `Only you and ${call.label} can read this. It is gone when the call ends.`;
        $('statistics').replaceChildren(
            element('p', { className: 'empty' }, 'There are figures as soon as you are connected.'));
        $('remote').srcObject = call.link.stream;
        $('remote').onloadeddata = () => this.#firstPicture();
        $('remote').onresize = () => this.#fit();
        call.chat.addEventListener('message', ({ detail }) => this.#call === call && this.#showMessage(detail));
        this.#statistics = new Statistics(call.link.connection, () => this.isOnline && navigator.onLine);
        this.#statistics.addEventListener('sample', ({ detail }) => this.#showStatistics(detail));
        this.#clock = setInterval(() => this.show(), 1000);
        this.togglePanel(this.#settings.panel, true);
        this.show();
        this.#showSelf();
    }

    end() {
        this.#statistics?.stop();
        this.#statistics = null;
        clearInterval(this.#clock);
        $('remote').srcObject = null;
        $('self').srcObject = null;
        $('call-play').hidden = true;
        hideVerification();
        this.#unread = 0;
        this.#showBadge();
        this.#call = null;
        this.#stillFor = 0;
    }

    show() {
        const call = this.#call;
        if (!call) return;
        const stage = $('stage');
        setText($('call-title'), call.name);
        setText($('call-user'), call.identifier);
        $('call-user').hidden = !call.identifier;
        paintAvatar($('call-avatar'), call.name);
        const picture = this.#seesPicture();
        stage.dataset.quality = this.#statistics?.latest?.quality?.level ?? '';
        stage.dataset.picture = picture ? 'remote' : 'none';
        stage.dataset.ringing = ['new', 'calling', 'ringing'].includes(call.state);
        setText($('call-state'), this.#stateText(call, picture));
        setText($('call-trouble'), this.#trouble(call));
        showVerification(call);
        setText($('hang-up-text'), call.pending ? 'Cancel' : 'Hang up');
        document.querySelector('.call [data-action="hang-up"]').setAttribute(
            'aria-label', call.pending ? 'Cancel the call' : 'Hang up');
        if (call.link.stream.getTracks().some((track) => !track.muted) && $('remote').paused) this.#play();
    }

    #stateText(call, picture) {
        switch (call.state) {
            case 'new': case 'calling': return 'Calling…';
            case 'ringing': return 'Ringing…';
            case 'connecting': return 'Connecting…';
            case 'running': {
                // The seconds are only displayed: a live region that counts would be read out continuously.
                const lasted = duration(Date.now() - call.connectedAt);
                setText($('call-figures'), [lasted, ...this.#figures()].join(' · '));
                return picture ? 'Connected' : 'Connected, no picture';
            }
            default: return '';
        }
    }

    #figures() {
        const sample = this.#statistics?.latest, video = sample?.video.received;
        return [
            video?.height && `${video.width} × ${video.height}`,
            sample?.roundTrip != null && `${Math.round(sample.roundTrip)} ms`,
        ].filter(Boolean);
    }

    #trouble(call) {
        if (call.state !== 'running') return '';
        if (call.pathLost) {
            return call.peerState === 'present' ? 'The connection broke. Looking for another way…'
                : `The connection with ${call.label} broke. Waiting for them…`;
        }
        const quality = this.#statistics?.latest?.quality;
        return ['poor', 'bad'].includes(quality?.level) ? `The call is ${qualityText(quality)}.` : '';
    }

    #seesPicture() {
        const track = this.#call.link.stream.getVideoTracks()[0];
        return Boolean(track) && !track.muted && track.readyState === 'live' && this.#call.state === 'running'
            && $('remote').videoWidth > 0 && this.#stillFor < STILL_PICTURE;
    }

    #fit() {
        const { videoWidth, videoHeight } = $('remote'), { clientWidth, clientHeight } = $('stage');
        if (!videoWidth || !clientWidth) return;
        const ratio = (videoWidth / videoHeight) / (clientWidth / clientHeight);
        $('stage').dataset.fit = Math.max(ratio, 1 / ratio) <= MOST_CROPPED ? 'cover' : 'contain';
    }

    #firstPicture() {
        const call = this.#call;
        if (!call || this.#hadPicture) return;
        this.#hadPicture = true;
        call.setUpTime ??= performance.now() - call.pressedAt;
        $('stage').dataset.setUp = Math.round(call.setUpTime);
        this.show();
    }

    #play() {
        $('remote').play().then(() => { $('call-play').hidden = true; }, (error) => {
            if (error.name === 'NotAllowedError') $('call-play').hidden = false;
        });
    }

    #showSelf() {
        const { video, audio } = this.#media;
        const track = video.track;
        const shown = $('self').srcObject?.getVideoTracks()[0] ?? null;
        if (shown !== track) $('self').srcObject = track ? new MediaStream([track]) : null;
        $('self').hidden = !track;
        $('self-muted').hidden = Boolean(audio.track && audio.on);
    }

    // Panels

    togglePanel(name, exactly = false) {
        const open = !exactly && this.#panel === name ? null : name;
        const closed = this.#panel;
        this.#panel = open;
        for (const one of ['chat', 'statistics']) {
            $(`panel-${one}`).hidden = one !== open;
            document.querySelector(`.call [data-action="${one}"]`).setAttribute('aria-expanded', one === open);
        }
        if (open === 'chat') {
            this.#unread = 0;
            this.#showBadge();
            this.#scrollDown();
            if (!exactly) $('chat-text').focus();
        } else if (open && !exactly) {
            $(`panel-${open}`).querySelector('.close').focus();
        } else if (closed && !exactly) {
            document.querySelector(`.call [data-action="${closed}"]`).focus();
        }
    }

    get panel() { return this.#panel; }

    #showMessage({ text, mine, at }) {
        const time = at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
        const who = element('span', { className: 'hidden-heading' }, mine ? 'You: ' : `${this.#call.label}: `);
        $('chat-messages').append(element('li', { className: mine ? 'mine' : 'theirs' },
            who, element('span', { className: 'text' }, text), element('time', { dateTime: at.toISOString() }, time)));
        while ($('chat-messages').children.length > 500) $('chat-messages').firstChild.remove();
        this.#scrollDown();
        if (!mine && this.#panel !== 'chat') {
            this.#unread++;
            this.#showBadge();
            announce(`${this.#call.label} writes: ${text}`);
        }
    }

    #scrollDown() { $('chat-messages').scrollTop = $('chat-messages').scrollHeight; }

    #showBadge() {
        $('chat-badge').hidden = this.#unread === 0;
        setText($('chat-badge'), this.#unread > 9 ? '9+' : String(this.#unread));
        document.querySelector('.call [data-action="chat"]').setAttribute(
            'aria-label', this.#unread ? `Chat, ${this.#unread} unread` : 'Chat');
    }

    #showStatistics(sample) {
        const { video, audio } = sample, call = this.#call;
        if (!call) return;
        this.#stillFor = video.received && video.received.framesPerSecond === 0 ? this.#stillFor + 1 : 0;
        this.show();
        if (this.#panel !== 'statistics') return;
        const { route } = sample;
        const way = route
            && [route.relayed ? 'relayed' : 'direct', route.protocol.toUpperCase(), route.family].join(', ');
        const connection = [
            ['State', sample.state],
            ['Quality', sample.quality ? qualityText(sample.quality) : '–'],
            ['Route', text(way)],
            ['Candidates', route ? `${route.from} – ${route.to}` : '–'],
            ['Round trip', milliseconds(sample.roundTrip)],
            ['Room to send', bitrate(sample.availableBitrate)],
            ['Encryption', sample.security || '–'],
            ['First picture', call.setUpTime != null ? `after ${Math.round(call.setUpTime)} ms` : '–'],
        ];
        const both = (pick, format) => [format(pick(video.received)), format(pick(video.sent))];
        const sound = (pick, format) => [format(pick(audio.received)), format(pick(audio.sent))];
        const tables = [
            table('Connection', null, connection),
            table('Picture', ['Received', 'Sent'], [
                ['Codec', ...both((one) => one?.codec, text)],
                ['Size', ...both((one) => one?.width && `${one.width} × ${one.height}`, text)],
                ['Pictures a second', ...both((one) => one?.framesPerSecond, whole)],
                ['Bitrate', ...both((one) => one?.bitrate, bitrate)],
                ['Loss', ...both((one) => one?.loss, percent)],
                ['Buffer', ...both((one) => one?.bufferDelay, milliseconds)],
            ]),
            table('Sound', ['Received', 'Sent'], [
                ['Codec', ...sound((one) => one?.codec, text)],
                ['Bitrate', ...sound((one) => one?.bitrate, bitrate)],
                ['Loss', ...sound((one) => one?.loss, percent)],
                ['Buffer', ...sound((one) => one?.bufferDelay, milliseconds)],
            ]),
        ];
        $('statistics').replaceChildren(...tables);
    }
}

function table(caption, columns, rows) {
    const made = element('table', {}, element('caption', {}, caption));
    if (columns) {
        const heads = columns.map((name) => element('th', { scope: 'col' }, name));
        made.append(element('thead', {}, element('tr', {}, element('td', {}), ...heads)));
    }
    made.append(element('tbody', {}, ...rows.map(([name, ...values]) => element('tr', { 'data-row': name },
        element('th', { scope: 'row' }, name), ...values.map((value) => element('td', {}, value))))));
    return made;
}

function text(value) { return value || '–'; }
function whole(value) { return value == null ? '–' : String(Math.round(value)); }
function milliseconds(value) { return value == null ? '–' : `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`; }
function percent(value) { return value == null ? '–' : `${(100 * value).toFixed(1)} %`; }
function bitrate(value) {
    if (value == null) return '–';
    return value >= 1e6 ? `${(value / 1e6).toFixed(1)} Mbit/s` : `${Math.round(value / 1e3)} kbit/s`;
}
