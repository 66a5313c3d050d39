/// The API for pages: `window.duet`.
///
/// ```js
/// duet.addEventListener('incoming', (event) => duet.answer(confirm(event.detail.peer + ' calls')));
/// duet.addEventListener('quality', ({detail}) => show(detail.level, detail.reason));  // 'fair', 'myNetwork'
/// await duet.call('bob');                       // returns at once; 'ringing', 'started' and 'ended' follow
/// await duet.setMuted('microphone', true);
/// const {bytesSent} = await duet.statistics();
/// await duet.hangUp();
/// ```
enum WebCallScript {
    static let source = """
        (() => {
          const waiting = new Map();
          const here = crypto.getRandomValues(new Uint32Array(1))[0];
          let last = 0;
          class Duet extends EventTarget {
            #ask(request) {
              return new Promise((resolve, reject) => {
                const id = last += 1;
                waiting.set(id, {resolve, reject});
                document.dispatchEvent(new CustomEvent('duet-request', {detail: JSON.stringify({id, document: here, ...request})}));
              });
            }
            call(peer) { return this.#ask({action: 'call', peer: String(peer)}); }
            answer(accept = true) { return this.#ask({action: 'answer', accept: Boolean(accept)}); }
            hangUp() { return this.#ask({action: 'hangUp'}); }
            setMuted(track, muted) { return this.#ask({action: 'setMuted', track: String(track), muted: Boolean(muted)}); }
            statistics() { return this.#ask({action: 'statistics'}); }
          }
          const duet = new Duet();
          document.addEventListener('duet-message', ({detail}) => {
            const message = JSON.parse(detail);
            if (message.event) return void duet.dispatchEvent(new CustomEvent(message.event, {detail: message}));
            if (message.document !== here) return;  // a page that was here before asked for it
            const one = waiting.get(message.id);
            waiting.delete(message.id);
            if (!one) return;
            if (message.error) one.reject(new DOMException(message.error, 'OperationError'));
            else one.resolve(message.statistics);
          });
          Object.defineProperty(window, 'duet', {value: duet});
        })();
        """
}
