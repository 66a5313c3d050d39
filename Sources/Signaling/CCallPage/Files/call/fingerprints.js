// The SHA-256 fingerprints of both certificates of a connection: those that DTLS has verified, if the browser reports them,
// otherwise those in the descriptions.

import { bytesFrom, equal, sha256 } from './verification.js';

/**
 * {local, remote}, 32 bytes each; undefined while DTLS is not connected on every transport, null if they cannot be determined.
 */
export async function fingerprintsOf(connection) {
    const report = await connection.getStats();
    const all = [...report.values()];
    const transports = all.filter(({ type }) => type === 'transport');
    if (transports.some(({ dtlsState }) => dtlsState && dtlsState !== 'connected')) return undefined;
    const certificates = ['localCertificateId', 'remoteCertificateId'].map(
        (member) => new Set(transports.map((one) => report.get(one[member])?.base64Certificate)));
    // Two transports with two certificates: no description can show that they belong to one peer.
    if (certificates.some(({ size }) => size > 1)) return null;
    const shown = await Promise.all(certificates.map(([certificate]) => {
        const der = bytesFrom(certificate);
        return der && sha256(der);
    }));
    // If they differ, the transport is still that of the previous description.
    const expected = announced(connection.remoteDescription);
    if (shown[1] && expected && !equal(shown[1], expected)) return undefined;
    const [local, remote] = [
        shown[0] ?? announced(connection.currentLocalDescription),
        shown[1] ?? announced(connection.currentRemoteDescription),
    ];
    return local && remote ? { local, remote } : null;
}

/** Whether a description announces other certificates than the previous one. */
export function changesCertificate(before, next) {
    if (!before) return false;
    const [old, wanted] = [before, next].map(lines);
    return old.size !== wanted.size || [...wanted].some((line) => !old.has(line));
}

function lines(description) {
    return new Set(description?.sdp.match(/^a=fingerprint:.*$/gm)?.map((line) => line.trim().toLowerCase()));
}

/** The fingerprint in a description, if it is the only one and uses SHA-256: of several, a peer needs only one. */
function announced(description) {
    const all = lines(description);
    const [, pairs] = [...all][0]?.match(/^a=fingerprint:sha-256 ((?:[0-9a-f]{2}:){31}[0-9a-f]{2})$/) ?? [];
    return all.size === 1 && pairs ? Uint8Array.from(pairs.split(':'), (pair) => parseInt(pair, 16)) : null;
}
