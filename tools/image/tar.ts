// SPDX-License-Identifier: Apache-2.0
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { posix } from 'node:path';
import type { ImageFile } from './image.ts';

const blockSize = 512;
/** Two empty blocks end an archive. */
const endMark = Buffer.alloc(2 * blockSize);

/**
 * A tar archive of these entries, chunk by chunk, in the ustar format. Parents are added, entries sorted by path, all
 * times are zero and owners are root unless an entry says otherwise: equal entries give equal bytes. Of two entries
 * with one path the later counts. Paths without a leading slash are kept.
 */
export async function* tar(entries: readonly ImageFile[]): AsyncGenerator<Buffer> {
  for (const entry of inOrder(entries)) {
    const size = entry.kind === 'file' ? await sizeOf(entry.content) : 0;
    yield header(entry, size);
    if (entry.kind !== 'file') continue;
    let written = 0;
    for await (const chunk of contentOf(entry.content)) {
      written += chunk.length;
      yield chunk;
    }
    if (written !== size) throw new Error(`${entry.path} changed while it was read: run the command again`);
    yield Buffer.alloc((blockSize - (size % blockSize)) % blockSize);
  }
  yield endMark;
}

type Content = Extract<ImageFile, { kind: 'file' }>['content'];

async function sizeOf(content: Content): Promise<number> {
  return content instanceof Uint8Array ? content.length : (await stat(content.source)).size;
}

async function* contentOf(content: Content): AsyncGenerator<Buffer> {
  if (content instanceof Uint8Array) yield Buffer.from(content);
  else for await (const chunk of createReadStream(content.source, { highWaterMark: 1 << 20 })) yield chunk as Buffer;
}

function inOrder(entries: readonly ImageFile[]): readonly ImageFile[] {
  const byPath = new Map<string, ImageFile>();
  for (const entry of entries) {
    const path = posix.normalize(entry.path).replace(/^\/+|\/+$/g, '');
    for (let parent = posix.dirname(path); parent !== '.'; parent = posix.dirname(parent)) {
      if (!byPath.has(parent)) byPath.set(parent, { kind: 'directory', path: parent });
    }
    byPath.set(path, { ...entry, path });
  }
  // By code unit, not by locale: the order affects the bytes.
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function header(entry: ImageFile, size: number): Buffer {
  const block = Buffer.alloc(blockSize);
  const { prefix, name } = splitPath(entry.kind === 'directory' ? `${entry.path}/` : entry.path);
  const owner = entry.kind === 'directory' ? (entry.owner ?? 0) : 0;
  block.write(name, 0);
  block.write(octal(modeOf(entry), 8), 100);
  block.write(octal(owner, 8), 108);
  block.write(octal(owner, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(0, 12), 136);
  block.fill(' ', 148, 156);
  block.write(entry.kind === 'file' ? '0' : entry.kind === 'link' ? '2' : '5', 156);
  if (entry.kind === 'link') block.write(fitting(entry.target, 100), 157);
  block.write('ustar\u000000', 257);
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

function modeOf(entry: ImageFile): number {
  switch (entry.kind) {
    case 'file':
      return entry.mode ?? 0o644;
    case 'directory':
      return entry.mode ?? 0o755;
    case 'link':
      return 0o777;
  }
}

function octal(value: number, width: number): string {
  const digits = value.toString(8).padStart(width - 1, '0');
  if (digits.length >= width) throw new Error(`${value} does not fit a tar header`);
  return digits;
}

/** A name of up to 255 bytes, split at a slash for ustar. */
function splitPath(path: string): { readonly prefix: string; readonly name: string } {
  if (Buffer.byteLength(path) <= 100) return { prefix: '', name: path };
  for (let at = path.lastIndexOf('/', path.length - 2); at > 0; at = path.lastIndexOf('/', at - 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(name) > 100) break;
    if (Buffer.byteLength(prefix) <= 155) return { prefix, name };
  }
  throw new Error(`${path} is too long for a tar header: give the file a shorter path`);
}

function fitting(target: string, limit: number): string {
  if (Buffer.byteLength(target) > limit) throw new Error(`the link target ${target} is too long for a tar header`);
  return target;
}
