// How an unproven name is shown. Its owner may have chosen it so that the identifier beside it is cut off, or looks like a part
// of it. `UnprovenName` in RTCSignaling has the same rule.

const LONGEST = 24;  // characters; fits a line together with an identifier
const PARENTHESES = /[()⁽⁾₍₎❨❩❪❫⟮⟯⦅⦆﴾﴿﹙﹚（）｟｠]/gu;
// Includes letters and symbols that look like a space: Hangul fillers, and the blank Braille pattern.
const SPACES = /[\s\u0085\u115F\u1160\u2800\u3164\uFFA0]+/u;
const JOINERS = /^[\u200C\u200D]*$/u;

/** The name without parentheses, in one line without repeated spaces, and shortened; empty if nothing of it is visible. */
export function shownName(name) {
    const words = name.replace(PARENTHESES, '').split(SPACES).filter((word) => !JOINERS.test(word));
    const characters = charactersOf(words.join(' '));
    return characters.length > LONGEST ? `${characters.slice(0, LONGEST - 1).join('')}…` : characters.join('');
}

/** Grapheme clusters, if the browser can determine them. */
function charactersOf(text) {
    if (!Intl.Segmenter) return [...text];
    return Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
}
