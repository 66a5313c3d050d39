// How people are shown a name that nobody has proved. Its owner may have made it up so that the identifier beside it is cut off, or
// looks like a part of it. `UnprovenName` in RTCSignaling is the same rule.

const LONGEST = 24;  // characters; together with an identifier it fits a line
const PARENTHESES = /[()⁽⁾₍₎❨❩❪❫⟮⟯⦅⦆﴾﴿﹙﹚（）｟｠]/gu;
// Also the letters and signs that look like a space: the fillers of Hangul, and the empty cell of Braille.
const SPACES = /[\s\u0085\u115F\u1160\u2800\u3164\uFFA0]+/u;
const JOINERS = /^[\u200C\u200D]*$/u;

/** The name without parentheses, in one line without runs of spaces, and not too long; empty if nothing of it is to be seen. */
export function shownName(name) {
    const words = name.replace(PARENTHESES, '').split(SPACES).filter((word) => !JOINERS.test(word));
    const characters = charactersOf(words.join(' '));
    return characters.length > LONGEST ? `${characters.slice(0, LONGEST - 1).join('')}…` : characters.join('');
}

/** As people count them, where the browser can do that. */
function charactersOf(text) {
    if (!Intl.Segmenter) return [...text];
    return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}
