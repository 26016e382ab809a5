// SPDX-License-Identifier: Apache-2.0
import type { StoreAnswer, StoreFault, StoreRequest } from './rewriting-proxy.ts';

/**
 * Faults of an S3 store, each implemented as a proxy in front of a store without faults. Only objects whose key contains `part` are
 * affected.
 */

const isList = ({ method, url }: StoreRequest) => method === 'GET' && url.searchParams.has('list-type');
const isRead = ({ method, url }: StoreRequest, part: string) =>
  method === 'GET' && !isList({ method, url } as StoreRequest) && url.pathname.includes(part) && !isManifest(url);
const isManifest = (url: URL) => url.pathname.endsWith('.manifest.json');
/** The request that makes an object visible: a single upload, or the last of several. */
const isFinish = ({ method, url }: StoreRequest) =>
  (method === 'PUT' && !url.searchParams.has('partNumber')) || (method === 'POST' && url.searchParams.has('uploadId'));
const answer = (status: number, text: string, type = 'application/xml'): StoreAnswer => ({
  status,
  headers: { 'content-type': type },
  body: Buffer.from(text),
});
const denied = () => answer(403, '<Error><Code>AccessDenied</Code><Message>no</Message></Error>');
const broken = () => answer(500, '<Error><Code>InternalError</Code><Message>again</Message></Error>');

/** Every page repeats its last entry. */
export const listingRepeats: StoreFault = async (asked, pass) => {
  const sound = await pass();
  return isList(asked) ? { ...sound, body: replaced(sound, /(<Contents>.*<\/Contents>)/s, '$1$1') } : sound;
};

/** Entries are listed in descending order. */
export const listingBackwards: StoreFault = async (asked, pass) => {
  const sound = await pass();
  if (!isList(asked)) return sound;
  const entries = sound.body.toString().match(/<Contents>.*?<\/Contents>/gs) ?? [];
  return { ...sound, body: replaced(sound, /<Contents>.*<\/Contents>/s, entries.reverse().join('')) };
};

function replaced({ body }: StoreAnswer, what: RegExp, by: string): Buffer {
  return Buffer.from(body.toString().replace(what, by));
}

/** The listing of a series is never answered. */
export const listingStalls: StoreFault = async (asked, pass) =>
  isList(asked) && asked.url.searchParams.get('prefix')?.endsWith('_v') ? 'stall' : pass();

/** The stored bytes differ from those that were sent: every read has one bit flipped. The store sends no checksums. */
export const storedDamaged =
  (part: string): StoreFault =>
  async (asked, pass) => {
    const sound = withoutChecksums(asked, await pass());
    if (!isRead(asked, part) || sound.status >= 300) return sound;
    const start = Number(/^bytes (\d+)-/.exec(sound.headers['content-range'] ?? '')?.[1] ?? 0);
    // The bit is outside the pages that describe the database, so only the hash of the whole file shows it.
    const at = 5_000_000 - start;
    if (at < 0 || at >= sound.body.byteLength) return sound;
    const body = Buffer.from(sound.body);
    body.writeUInt8(body.readUInt8(at) ^ 1, at);
    return { ...sound, body };
  };

function withoutChecksums({ method }: StoreRequest, sound: StoreAnswer): StoreAnswer {
  const headers = Object.entries(sound.headers).filter(([name]) => !name.startsWith('x-amz-checksum'));
  const body = method === 'POST' ? replaced(sound, /<Checksum(\w+)>.*?<\/Checksum\1>/gs, '') : sound.body;
  return { ...sound, headers: Object.fromEntries(headers), body };
}

/** A proxy answers 200 without passing the request to the store. */
export const completeNotForwarded =
  (part = ''): StoreFault =>
  async (asked, pass) =>
    isFinish(asked) && asked.url.pathname.includes(part) ? answer(200, '<html>Sign in</html>', 'text/html') : pass();

/** The object is stored, but the answer is lost. */
export const completeAnswerLost: StoreFault = async (asked, pass) => {
  const sound = await pass();
  return isFinish(asked) && !isManifest(asked.url) ? 'cut' : sound;
};

export const headDenied: StoreFault = async (asked, pass) => (asked.method === 'HEAD' ? denied() : pass());

export const manifestsDenied: StoreFault = async (asked, pass) =>
  asked.method === 'GET' && isManifest(asked.url) ? denied() : pass();

/** Uploads can start, but not be completed or aborted, and nothing can be deleted. */
export const nothingEnds: StoreFault = async (asked, pass) =>
  isFinish(asked) || asked.method === 'DELETE' ? broken() : pass();

const isUploadList = ({ method, url }: StoreRequest) => method === 'GET' && url.searchParams.has('uploads');

/** Credentials that may store objects but not list unfinished uploads. */
export const uploadsUnlisted: StoreFault = async (asked, pass) => (isUploadList(asked) ? denied() : pass());

/** Credentials that may store objects, but neither delete them nor list unfinished uploads. */
export const cleaningRefused: StoreFault = async (asked, pass) =>
  asked.method === 'DELETE' ? denied() : uploadsUnlisted(asked, pass);

/** The same credentials as in `cleaningRefused`, and no upload can be completed. */
export const completeRefused: StoreFault = async (asked, pass) =>
  isFinish(asked) ? broken() : cleaningRefused(asked, pass);

export const readsTrickle =
  (part: string): StoreFault =>
  async (asked, pass) => {
    const sound = await pass();
    return isRead(asked, part) ? { ...sound, trickle: { bytes: 2, everyMs: 1_000 } } : sound;
  };

/** The store ignores ranges: it answers every read as if the whole object was requested, and with wrong bytes. */
export const rangesFromZero =
  (part: string): StoreFault =>
  async (asked, pass) => {
    if (!isRead(asked, part)) return pass();
    const sound = await pass();
    const { 'content-range': _range, ...headers } = sound.headers;
    return { ...sound, headers, body: Buffer.concat([Buffer.alloc(sound.body.byteLength, 7)]), status: 200 };
  };

/** Every answer is truncated and claims to be complete. */
export const readsShort =
  (part: string): StoreFault =>
  async (asked, pass) => {
    const sound = await pass();
    return isRead(asked, part) ? { ...sound, body: sound.body.subarray(0, sound.body.byteLength / 2) } : sound;
  };

/** Manifests are changed when they are read. The store sends no checksums. */
export const manifestDamaged: StoreFault = async (asked, pass) => {
  const sound = withoutChecksums(asked, await pass());
  return asked.method === 'GET' && isManifest(asked.url)
    ? { ...sound, body: replaced(sound, /"revision": \d/, '"revision": 9') }
    : sound;
};
