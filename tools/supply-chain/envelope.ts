// SPDX-License-Identifier: Apache-2.0
import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/**
 * A signed statement in the format DSSE (github.com/secure-systems-lab/dsse), which `cosign verify-blob-attestation`
 * reads.
 */
export interface Envelope {
  readonly payloadType: string;
  /** The statement in base64. */
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

const payloadType = 'application/vnd.in-toto+json';

/** Signs a statement with a private key: Ed25519, or ECDSA on P-256. */
export function seal(statement: object, key: KeyObject): Envelope {
  const payload = Buffer.from(JSON.stringify(statement));
  const signature = sign(digestFor(key), encoded(payload), key);
  return {
    payloadType,
    payload: payload.toString('base64'),
    signatures: [{ keyid: keyId(createPublicKey(key)), sig: signature.toString('base64') }],
  };
}

/** The statement, if one of the signatures is valid for this key; throws otherwise. */
export function unseal(envelope: Envelope, key: KeyObject): unknown {
  if (envelope.payloadType !== payloadType) throw new Error(`the statement is of type ${envelope.payloadType}`);
  const payload = Buffer.from(envelope.payload, 'base64');
  const isSigned = envelope.signatures.some(({ sig }) =>
    verify(digestFor(key), encoded(payload), key, Buffer.from(sig, 'base64')),
  );
  if (!isSigned) throw new Error(`no signature of the statement is by the key ${keyId(key)}`);
  return JSON.parse(payload.toString('utf8'));
}

/** Ed25519 includes hashing. */
function digestFor({ asymmetricKeyType: type }: KeyObject): 'sha256' | null {
  if (type === 'ed25519') return null;
  if (type === 'ec') return 'sha256';
  throw new Error(`keys of type ${type} are not supported: use Ed25519 or ECDSA on P-256`);
}

/** The signed bytes: type and payload with their lengths, so that neither can be mistaken for part of the other. */
function encoded(payload: Buffer): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

function keyId(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}
