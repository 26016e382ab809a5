// SPDX-License-Identifier: Apache-2.0
import { type FileHandle, open } from 'node:fs/promises';
import type { Clock } from '@operator-parts/ports';
import type { LogOptions } from '../../server/node-proxy.ts';
import type { LogIndex } from './log-index.ts';

const pieceBytes = 64 * 1024;
const followInterval = 50;
const newline = 10;

/** A log to be read. */
export interface LogSource {
  readonly file: string;
  readonly index: Pick<LogIndex, 'timeOf' | 'offsetSince'>;
  /** True as long as more may follow. */
  isOpen(): boolean;
}

type Selection = Pick<LogOptions, 'follow' | 'timestamps' | 'sinceSeconds' | 'sinceTime' | 'tailLines' | 'limitBytes'>;

/**
 * The bytes of a log that a client requested. With `follow`, later bytes are included until the container's run ends.
 */
export async function* readLog(
  source: LogSource,
  options: Selection,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  await using handle = await open(source.file, 'r');
  let offset = await startOffset(handle, source, options, clock);
  let budget = options.limitBytes ?? Number.POSITIVE_INFINITY;
  while (budget > 0 && !signal.aborted) {
    // Checked before reading, so that everything written before is read.
    const isOpen = options.follow && source.isOpen();
    const piece = await readPiece(handle, offset, options.timestamps, isOpen);
    if (piece.length === 0) {
      if (!isOpen) return;
      await clock.sleep(followInterval, signal).catch(() => undefined);
      continue;
    }
    const bytes = options.timestamps ? stamped(piece, offset, source) : piece;
    offset += piece.length;
    yield new Uint8Array(bytes.subarray(0, budget));
    budget -= bytes.length;
  }
}

async function startOffset(handle: FileHandle, source: LogSource, options: Selection, clock: Clock): Promise<number> {
  const since =
    options.sinceTime === undefined
      ? options.sinceSeconds === undefined
        ? undefined
        : clock.now() - options.sinceSeconds * 1000
      : Date.parse(options.sinceTime);
  const first = since === undefined ? 0 : source.index.offsetSince(since);
  if (options.tailLines === undefined) return first;
  return Math.max(first, await tailOffset(handle, options.tailLines));
}

/** The offset of the last `lines` lines. */
async function tailOffset(handle: FileHandle, lines: number): Promise<number> {
  let { size: end } = await handle.stat();
  if (lines <= 0) return end;
  let wanted = lines;
  const last = await readPiece(handle, Math.max(0, end - 1));
  // The newline that ends the last line does not begin another line.
  if (last[0] === newline) wanted += 1;
  while (end > 0) {
    const begin = Math.max(0, end - pieceBytes);
    const piece = (await readPiece(handle, begin)).subarray(0, end - begin);
    for (let at = piece.lastIndexOf(newline); at >= 0; at = at === 0 ? -1 : piece.lastIndexOf(newline, at - 1)) {
      wanted -= 1;
      if (wanted === 0) return begin + at + 1;
    }
    end = begin;
  }
  return 0;
}

/**
 * Bytes from `offset`. With `wholeLines`, they end with a newline; a line without one is left out while it may grow,
 * unless it fills a piece.
 */
async function readPiece(handle: FileHandle, offset: number, wholeLines = false, mayGrow = false): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(pieceBytes), 0, pieceBytes, offset);
  const piece = buffer.subarray(0, bytesRead);
  if (!wholeLines) return piece;
  const end = piece.lastIndexOf(newline);
  if (end >= 0) return piece.subarray(0, end + 1);
  return mayGrow && bytesRead < pieceBytes ? piece.subarray(0, 0) : piece;
}

function stamped(piece: Buffer, offset: number, source: LogSource): Buffer {
  const parts: Buffer[] = [];
  for (let begin = 0; begin < piece.length; ) {
    const newlineAt = piece.indexOf(newline, begin);
    const end = newlineAt < 0 ? piece.length : newlineAt + 1;
    const time = new Date(source.index.timeOf(offset + begin)).toISOString().replace('Z', '000000Z');
    parts.push(Buffer.from(`${time} `), piece.subarray(begin, end));
    begin = end;
  }
  return Buffer.concat(parts);
}
