// SPDX-License-Identifier: Apache-2.0
import { constants, createInflate, type Inflate } from 'node:zlib';
import { headerDictionary } from './dictionary.ts';
import { SpdyError } from './spdy-error.ts';

/** Header fields by name. Names are lower case on the wire. */
export type SpdyHeaders = Readonly<Record<string, string>>;

/**
 * The start of the stream of header blocks: the header of zlib for deflate with a dictionary, then the checksum
 * (Adler-32) of the dictionary.
 */
const streamStart = Buffer.from([0x78, 0xbb, 0xe3, 0xc6, 0xa7, 0xc2]);
/** An empty block, sent after every header block: Go's reader returns its data only when it reads one. */
const flushMark = Buffer.from([0x00, 0x00, 0x00, 0xff, 0xff]);
const longestStoredBlock = 65_535;
const largestBlock = 65_536;

/**
 * Writes header blocks as parts of one zlib stream. Does not compress: a few dozen bytes are not worth the memory of a
 * compressor.
 */
export class HeaderWriter {
  #started = false;

  encode(headers: SpdyHeaders): Uint8Array {
    const plain = encodeHeaders(headers);
    if (plain.length > longestStoredBlock) throw new SpdyError('headers are too long');
    const block = Buffer.alloc(5);
    block.writeUInt16LE(plain.length, 1);
    block.writeUInt16LE(plain.length ^ 0xffff, 3);
    const start = this.#started ? [] : [streamStart];
    this.#started = true;
    return Buffer.concat([...start, block, plain, flushMark]);
  }
}

/**
 * Reads the header blocks of a peer, which are parts of one compressed stream: each block needs all previous blocks.
 */
export class HeaderReader {
  readonly #inflate: Inflate;
  #output: Buffer[] = [];
  #size = 0;
  #failure: Error | undefined;

  constructor() {
    this.#inflate = createInflate({ dictionary: headerDictionary });
    this.#inflate.on('data', (piece: Buffer) => {
      this.#size += piece.length;
      if (this.#size <= largestBlock) this.#output.push(piece);
    });
    this.#inflate.on('error', (error) => {
      this.#failure = error;
    });
  }

  /** Must not be called again before it has resolved. */
  async decode(block: Uint8Array): Promise<SpdyHeaders> {
    const plain = await this.#expand(block);
    return decodeHeaders(plain);
  }

  #expand(block: Uint8Array): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => reject(new SpdyError(`a header block cannot be read: ${error.message}`));
      if (this.#failure) return fail(this.#failure);
      this.#inflate.once('error', fail);
      this.#inflate.write(block);
      this.#inflate.flush(constants.Z_SYNC_FLUSH, () => {
        this.#inflate.removeListener('error', fail);
        if (this.#size > largestBlock) return fail(new SpdyError('it is too long'));
        const output = Buffer.concat(this.#output, this.#size);
        this.#output = [];
        this.#size = 0;
        return resolve(output);
      });
    });
  }
}

function encodeHeaders(headers: SpdyHeaders): Buffer {
  const entries = Object.entries(headers);
  const count = Buffer.alloc(4);
  count.writeUInt32BE(entries.length);
  return Buffer.concat([
    count,
    ...entries.flatMap(([name, value]) => [lengthAnd(name.toLowerCase()), lengthAnd(value)]),
  ]);
}

function lengthAnd(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function decodeHeaders(plain: Buffer): SpdyHeaders {
  let position = 0;
  const number = () => {
    if (position + 4 > plain.length) throw new SpdyError('a header block ends early');
    const value = plain.readUInt32BE(position);
    position += 4;
    return value;
  };
  const text = () => {
    const length = number();
    if (position + length > plain.length) throw new SpdyError('a header block ends early');
    const value = plain.toString('utf8', position, position + length);
    position += length;
    return value;
  };
  const entries: [string, string][] = [];
  for (let left = number(); left > 0; left--) entries.push([text().toLowerCase(), text()]);
  return Object.fromEntries(entries);
}
