// Text messages over a data channel with the label `chat`: one message, one text. The caller opens it; a callee opens its own
// only if there is none when it sends.
//
// Events: `message` {text, mine, at}, `open`: whether messages can be sent has changed.

const LABEL = 'chat';
const LONGEST = 4000;
const KEPT = 500;

export class Chat extends EventTarget {
    messages = [];
    #link;
    #channels = [];
    #waiting = [];  // until a channel is open

    constructor(link, opens) {
        super();
        this.#link = link;
        link.addEventListener('channel', ({ detail: { channel } }) => channel.label === LABEL && this.#adopt(channel));
        if (opens) this.#adopt(link.connection.createDataChannel(LABEL));
    }

    send(text) {
        text = text.trim().slice(0, LONGEST);
        if (!text) return;
        const channel = this.#channels.find(({ readyState }) => readyState === 'open');
        if (channel) {
            channel.send(text);
        } else {
            this.#waiting.push(text);
            if (!this.#channels.length) this.#adopt(this.#link.connection.createDataChannel(LABEL));
        }
        this.#keep({ text, mine: true, at: new Date() });
    }

    #adopt(channel) {
        this.#channels.push(channel);
        channel.onopen = () => {
            for (const text of this.#waiting.splice(0)) channel.send(text);
            this.dispatchEvent(new CustomEvent('open'));
        };
        channel.onmessage = ({ data }) => {
            if (typeof data === 'string') this.#keep({ text: data.slice(0, LONGEST), mine: false, at: new Date() });
        };
        channel.onclose = () => { this.#channels = this.#channels.filter((one) => one !== channel); };
    }

    #keep(message) {
        this.messages.push(message);
        if (this.messages.length > KEPT) this.messages.shift();
        this.dispatchEvent(new CustomEvent('message', { detail: message }));
    }
}
