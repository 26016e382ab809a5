// SPDX-License-Identifier: Apache-2.0
import type { StoreAnswer, StoreFault, StoreRequest } from './rewriting-proxy.ts';

/** Faults of a store that speaks S3, each as a proxy in front of a sound one. `part` of a key chooses what they happen to. */

const isList = ({ method, url }: StoreRequest) => method === 'GET' && url.searchParams.has('list-type');
const isRead = ({ method, url }: StoreRequest, part: string) =>
  method === 'GET' && !isList({ method, url } as StoreRequest) && url.pathname.includes(part) && !isManifest(url);
const isManifest = (url: URL) => url.pathname.endsWith('.manifest.json');
/** What makes an object visible: one request, or the last of many. */
const isFinish = ({ method, url }: StoreRequest) =>
  (method === 'PUT' && !url.searchParams.has('partNumber')) || (method === 'POST' && url.searchParams.has('uploadId'));
const answer = (status: number, text: string, type = 'application/xml'): StoreAnswer => ({
  status,
  headers: { 'content-type': type },
  body: Buffer.from(text),
});
const denied = () => answer(403, '<Error><Code>AccessDenied</Code><Message>no</Message></Error>');
const broken = () => answer(500, '<Error><Code>InternalError</Code><Message>again</Message></Error>');

/** Every page names its last entry twice. */
export const listingRepeats: StoreFault = async (asked, pass) => {
  const sound = await pass();
  return isList(asked) ? { ...sound, body: replaced(sound, /(<Contents>.*<\/Contents>)/s, '$1$1') } : sound;
};

/** Entries come in the order of their names, from the last to the first. */
export const listingBackwards: StoreFault = async (asked, pass) => {
  const sound = await pass();
  if (!isList(asked)) return sound;
  const entries = sound.body.toString().match(/<Contents>.*?<\/Contents>/gs) ?? [];
  return { ...sound, body: replaced(sound, /<Contents>.*<\/Contents>/s, entries.reverse().join('')) };
};

function replaced({ body }: StoreAnswer, what: RegExp, by: string): Buffer {
  return Buffer.from(body.toString().replace(what, by));
}

/** The listing of a series never comes. */
export const listingStalls: StoreFault = async (asked, pass) =>
  isList(asked) && asked.url.searchParams.get('prefix')?.endsWith('_v') ? 'stall' : pass();

/** What is stored is not what was sent: one bit of the object is another one, whoever reads it. The store tells no checksums. */
export const storedDamaged =
  (part: string): StoreFault =>
  async (asked, pass) => {
    const sound = withoutChecksums(asked, await pass());
    if (!isRead(asked, part) || sound.status >= 300) return sound;
    const start = Number(/^bytes (\d+)-/.exec(sound.headers['content-range'] ?? '')?.[1] ?? 0);
    // In no page that says anything about the database: only the hash of the whole can tell.
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

/** A proxy says 200 by itself; the store has heard of nothing. */
export const finishedByNobody =
  (part = ''): StoreFault =>
  async (asked, pass) =>
    isFinish(asked) && asked.url.pathname.includes(part) ? answer(200, '<html>Sign in</html>', 'text/html') : pass();

/** The object is stored, and nobody hears of it. */
export const finishUnheard: StoreFault = async (asked, pass) => {
  const sound = await pass();
  return isFinish(asked) && !isManifest(asked.url) ? 'cut' : sound;
};

export const headDenied: StoreFault = async (asked, pass) => (asked.method === 'HEAD' ? denied() : pass());

export const manifestsDenied: StoreFault = async (asked, pass) =>
  asked.method === 'GET' && isManifest(asked.url) ? denied() : pass();

/** Uploads can be begun; neither finished nor taken back, and nothing can be deleted. */
export const nothingEnds: StoreFault = async (asked, pass) =>
  isFinish(asked) || asked.method === 'DELETE' ? broken() : pass();

const isUploadList = ({ method, url }: StoreRequest) => method === 'GET' && url.searchParams.has('uploads');

/** Whoever stores may not look for unfinished uploads. */
export const uploadsUnlisted: StoreFault = async (asked, pass) => (isUploadList(asked) ? denied() : pass());

/** Whoever stores may neither delete nor look for unfinished uploads. */
export const cleaningRefused: StoreFault = async (asked, pass) =>
  asked.method === 'DELETE' ? denied() : uploadsUnlisted(asked, pass);

/** The same, and no object is finished. */
export const leftRefused: StoreFault = async (asked, pass) =>
  isFinish(asked) ? broken() : cleaningRefused(asked, pass);

export const readsTrickle =
  (part: string): StoreFault =>
  async (asked, pass) => {
    const sound = await pass();
    return isRead(asked, part) ? { ...sound, trickle: { bytes: 2, everyMs: 1_000 } } : sound;
  };

/** Ranges are ignored: every read gets the object from its first byte, as the range that was asked for. */
export const rangesFromZero =
  (part: string): StoreFault =>
  async (asked, pass) => {
    if (!isRead(asked, part)) return pass();
    const sound = await pass();
    const { 'content-range': _range, ...headers } = sound.headers;
    return { ...sound, headers, body: Buffer.concat([Buffer.alloc(sound.body.byteLength, 7)]), status: 200 };
  };

/** Every answer ends early, and says that this was all. */
export const readsShort =
  (part: string): StoreFault =>
  async (asked, pass) => {
    const sound = await pass();
    return isRead(asked, part) ? { ...sound, body: sound.body.subarray(0, sound.body.byteLength / 2) } : sound;
  };

/** Manifests are others when they are read. The store tells no checksums. */
export const manifestDamaged: StoreFault = async (asked, pass) => {
  const sound = withoutChecksums(asked, await pass());
  return asked.method === 'GET' && isManifest(asked.url)
    ? { ...sound, body: replaced(sound, /"revision": \d/, '"revision": 9') }
    : sound;
};
