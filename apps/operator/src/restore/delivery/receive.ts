// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { WriteBehind } from '../write-behind.ts';
import { channelOptions, deliveryPath, identityOfRestore } from './channel.ts';

export interface Expected {
  /** UID of the EtcdRestore. */
  readonly uid: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface ReceiveOptions {
  readonly expected: Expected;
  /** The key from the restore's Secret. */
  readonly key: Uint8Array;
  /** Where the snapshot goes. It appears there only whole and checked. */
  readonly file: string;
  readonly port: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/** True if the directory of etcd's data has anything in it: it was restored before, or is somebody's. */
export async function hasData(directory: string): Promise<boolean> {
  try {
    return (await readdir(directory)).length > 0;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/**
 * True if the snapshot was received before. Files appear under their name only when they are whole, but a machine that went
 * down may have lost what was not on its disk yet: every byte is compared again, for nobody does so after this.
 */
export async function isReceived(file: string, { bytes, sha256 }: Expected): Promise<boolean> {
  try {
    if ((await stat(file)).size !== bytes) return false;
    const hash = createHash('sha256');
    for await (const piece of createReadStream(file, { highWaterMark: 1024 * 1024 })) hash.update(piece);
    return hash.digest('hex') === sha256;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/**
 * Waits for the operator to send the snapshot, checks every byte of it, and stores it; resolves when it is there. Only who
 * has the restore's key gets a connection. One sender at a time; one that fails leaves nothing behind.
 */
export async function receiveSnapshot(options: ReceiveOptions): Promise<void> {
  const { expected, key, port, signal, say } = options;
  let busy = false;
  await new Promise<void>((resolve, reject) => {
    const server = createServer({
      ...channelOptions,
      pskCallback: (_socket, identity) => (identity === identityOfRestore(expected.uid) ? key : null),
    });
    const end = (error?: unknown) => {
      server.close();
      if (error === undefined) resolve();
      else reject(error);
    };
    signal.addEventListener('abort', () => end(signal.reason), { once: true });
    server.on('error', end);
    server.on('tlsClientError', (error) => say(`a connection was refused: ${error.message}`));
    server.on('request', (request, response) => {
      if (request.method !== 'PUT' || request.url !== deliveryPath) return answer(response, 404, 'not found');
      if (busy) return answer(response, 409, 'another snapshot is being received');
      busy = true;
      store(request, options)
        .then((problem) => {
          say(problem ?? `received ${expected.bytes} bytes`);
          // The operator must have its answer before this process ends.
          if (problem === undefined) response.once('close', () => end());
          answer(response, problem === undefined ? 200 : 422, problem ?? 'received');
        })
        .catch((error: unknown) => answer(response, 500, error instanceof Error ? error.message : String(error)))
        .finally(() => {
          busy = false;
        });
    });
    listen(server, port, say);
  });
}

function listen(server: Server, port: number, say: (line: string) => void): void {
  // Data may come slowly, but a connection that is silent for long is not waited for.
  server.timeout = 300_000;
  server.requestTimeout = 0;
  server.listen(port, () => say(`waits for the snapshot on port ${port}`));
}

function answer(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'content-type': 'text/plain', connection: 'close' });
  response.end(`${text}\n`);
}

/** Undefined if all is well, else what is wrong with what came. */
async function store(body: IncomingMessage, { file, expected }: ReceiveOptions): Promise<string | undefined> {
  const part = `${file}.part`;
  const handle = await open(part, 'w', 0o600);
  try {
    const problem = await write(body, handle, expected);
    if (problem !== undefined) return problem;
    // Not forced to disk: who reads it runs on the same machine, and after a crash it is compared again.
  } finally {
    await handle.close();
  }
  await rename(part, file);
  return undefined;
}

/** Hashed while the disk writes the piece before: together they take as long as the slower of the two. */
async function write(body: AsyncIterable<Buffer>, handle: FileHandle, expected: Expected): Promise<string | undefined> {
  const hash = createHash('sha256');
  const behind = new WriteBehind(handle, (batch) => hash.update(batch));
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.byteLength;
    if (bytes > expected.bytes) return `more than the ${expected.bytes} bytes that were announced`;
    const busy = behind.write(piece);
    if (busy) await busy;
  }
  await behind.finish();
  if (bytes !== expected.bytes) throw new Error(`${bytes} of ${expected.bytes} bytes came`);
  return hash.digest('hex') === expected.sha256 ? undefined : 'the bytes are not those that were verified';
}

/**
 * True if the snapshot was received for a restore whose key is gone since: it has an identity and serves. Where data is in
 * memory, a reboot leaves the snapshot and takes the data; restored again, a member would come back under its old identity
 * with less than it has voted for. So the snapshot is taken away, whatever the kubelet still believes of the pod.
 */
export async function isOver(keyFile: string, file: string): Promise<boolean> {
  const mark = `${file}.over`;
  if (await isThere(keyFile)) return false;
  if (!(await isThere(mark))) {
    if (!(await isThere(file))) return false;
    // The mark first: who comes next, after this was cut short, must not wait for a key that never comes.
    await writeFile(mark, '');
  }
  await removeRemains(file);
  return true;
}

async function isThere(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** What an earlier try has left. */
export async function removeRemains(file: string): Promise<void> {
  await rm(`${file}.part`, { force: true });
  await rm(file, { force: true });
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
