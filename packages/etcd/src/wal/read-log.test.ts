// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { crc32c } from './crc32c.ts';
import { confChange, confChangeTypes, entry, entryTypes, hardState, logSnapshot, metadata } from './raft-messages.ts';
import { LogReader } from './read-log.ts';
import { readRecords, recordTypes, writeRecord } from './records.ts';
import { singleMemberRecords } from './single-member-log.ts';

/** A log file in etcd's format: each record contains the checksum up to it, zeros follow. */
class LogFile {
  #crc = 0;
  readonly #parts: Uint8Array[] = [];

  constructor() {
    this.add(recordTypes.crc, new Uint8Array(0));
    this.add(recordTypes.metadata, metadata.encode({ memberId: 7n, clusterId: 9n }));
    this.add(recordTypes.snapshot, logSnapshot.encode({ index: 0n, term: 0n }));
  }

  add(type: number, data: Uint8Array): this {
    const { bytes, crc } = writeRecord(type, data, this.#crc);
    this.#crc = crc;
    this.#parts.push(bytes);
    return this;
  }

  member(index: bigint, memberId: bigint, type: number = confChangeTypes.addVoter): this {
    const data = confChange.encode({ type, memberId });
    return this.add(recordTypes.entry, entry.encode({ type: entryTypes.confChange, term: 1n, index, data }));
  }

  entry(index: bigint, term: bigint, text = 'x'): this {
    return this.add(recordTypes.entry, entry.encode({ type: entryTypes.normal, term, index, data: Buffer.from(text) }));
  }

  state(term: bigint, commit: bigint): this {
    return this.add(recordTypes.state, hardState.encode({ term, vote: 7n, commit }));
  }

  snapshot(index: bigint, term: bigint): this {
    const confState = { voters: [7n, 8n, 6n], learners: [] };
    return this.add(recordTypes.snapshot, logSnapshot.encode({ index, term, confState }));
  }

  bytes(zeros = 4096): Buffer {
    return Buffer.concat([...this.#parts, Buffer.alloc(zeros)]);
  }
}

function read(...files: readonly Uint8Array[]) {
  const reader = new LogReader(() => true);
  for (const file of files) reader.add(file);
  return reader.result();
}

const three = () => new LogFile().member(1n, 7n).member(2n, 8n).member(3n, 6n).state(1n, 3n);

describe('a write-ahead log', () => {
  test('is checked with CRC-32C', () => {
    expect(crc32c(0, Buffer.from('123456789'))).toBe(0xe306_9283);
    expect(crc32c(crc32c(0, Buffer.from('1234')), Buffer.from('56789'))).toBe(0xe306_9283);
    // Of 32 zeros, and of 0 to 31: from RFC 3720.
    expect(crc32c(0, Buffer.alloc(32))).toBe(0x8a91_36aa);
    const rising = Buffer.from(Array.from({ length: 32 }, (_, byte) => byte));
    expect(crc32c(0, rising)).toBe(0x46dd_794e);
    for (let cut = 0; cut <= 32; cut++)
      expect(crc32c(crc32c(0, rising.subarray(0, cut)), rising.subarray(cut))).toBe(0x46dd_794e);
  });

  test('says who its member is, who votes, and what it received beyond what it knew to be committed', () => {
    const log = read(three().entry(4n, 2n).entry(5n, 2n).state(2n, 4n).bytes());
    expect(log).toMatchObject({ memberId: 7n, clusterId: 9n, voters: [7n, 8n, 6n], learners: [] });
    expect(log).toMatchObject({ lastTerm: 2n, lastIndex: 5n, state: { term: 2n, commit: 4n }, end: { isTorn: false } });
  });

  test('says where each term begins, from the snapshot on', () => {
    const starts = (file: LogFile) => read(file.bytes()).terms.map(({ index, term }) => [index, term]);
    expect(starts(three().entry(4n, 2n).entry(5n, 2n).entry(6n, 4n))).toEqual([
      [1n, 1n],
      [4n, 2n],
      [6n, 4n],
    ]);
    expect(starts(three().entry(4n, 2n).entry(5n, 2n).entry(5n, 3n))).toEqual([
      [1n, 1n],
      [4n, 2n],
      [5n, 3n],
    ]);
    expect(starts(three().entry(4n, 2n).entry(5n, 3n).snapshot(4n, 2n).state(3n, 4n))).toEqual([
      [4n, 2n],
      [5n, 3n],
    ]);
    expect(starts(new LogFile().snapshot(9n, 5n).state(5n, 9n))).toEqual([[9n, 5n]]);
  });

  test('ends where another leader wrote an entry again', () => {
    const log = read(three().entry(4n, 1n).entry(5n, 1n).member(6n, 5n).entry(5n, 2n).state(2n, 3n).bytes());
    expect(log).toMatchObject({ lastTerm: 2n, lastIndex: 5n, voters: [7n, 8n, 6n] });
  });

  test('ends at a snapshot from a later leader: what its member had received above it was never committed', () => {
    const file = three().entry(4n, 2n).entry(5n, 2n).member(6n, 5n).entry(7n, 2n).state(2n, 3n);
    const log = read(file.snapshot(5n, 3n).state(3n, 5n).bytes());
    expect(log).toMatchObject({ lastTerm: 3n, lastIndex: 5n, voters: [7n, 8n, 6n] });
    expect(read(file.entry(6n, 3n).state(3n, 6n).bytes())).toMatchObject({ lastTerm: 3n, lastIndex: 6n });
  });

  test('goes on above a snapshot that its member made itself', () => {
    const file = three().entry(4n, 2n).entry(5n, 2n).snapshot(4n, 2n).state(2n, 4n);
    expect(read(file.bytes())).toMatchObject({ lastTerm: 2n, lastIndex: 5n });
  });

  test('keeps its entries where those up to the snapshot were in a file that is gone', () => {
    const file = new LogFile().entry(6n, 2n).snapshot(5n, 2n).state(2n, 6n);
    expect(read(file.bytes())).toMatchObject({ lastTerm: 2n, lastIndex: 6n });
  });

  test('that is ended for one member alone has an entry over those that a snapshot has dropped, as etcd reads them again', () => {
    const alone = new LogFile().member(1n, 7n).entry(2n, 1n).entry(3n, 1n).entry(4n, 1n).state(1n, 1n);
    const confState = { voters: [7n], learners: [] };
    alone.add(recordTypes.snapshot, logSnapshot.encode({ index: 2n, term: 2n, confState })).state(2n, 2n);
    const before = read(alone.bytes());
    const after = [...readRecords(Buffer.concat([alone.bytes(0), singleMemberRecords(before)]), 0)];
    const last = after.findLast(({ type }) => type === recordTypes.entry)?.data ?? new Uint8Array(0);
    expect(entry.decode(last)).toMatchObject({ type: entryTypes.normal, term: 2n, index: 3n, data: Buffer.alloc(0) });
  });

  test('that is ended for one member alone commits everything in it and removes the others, learners too', () => {
    const file = three().member(4n, 5n, confChangeTypes.addLearner).entry(5n, 1n).state(2n, 4n);
    const before = read(file.bytes());
    const after = read(Buffer.concat([file.bytes(0), singleMemberRecords(before), Buffer.alloc(64)]));
    expect(before).toMatchObject({ voters: [7n, 8n, 6n], learners: [5n], lastIndex: 5n });
    expect(after).toMatchObject({ voters: [7n], learners: [], lastIndex: 9n, lastTerm: 2n });
    expect(after.state).toEqual({ term: 2n, vote: 7n, commit: 9n });
  });

  test('of a learner is ended so that it votes before the others are removed', () => {
    const file = new LogFile().member(1n, 8n).member(2n, 7n, confChangeTypes.addLearner).state(1n, 2n);
    const before = read(file.bytes());
    const ended = Buffer.concat([file.bytes(0), singleMemberRecords(before), Buffer.alloc(64)]);
    expect(before).toMatchObject({ voters: [8n], learners: [7n] });
    expect(read(ended)).toMatchObject({ voters: [7n], learners: [], lastIndex: 5n, state: { commit: 5n } });
    const changes = [...readRecords(ended, 0)]
      .filter(({ type }) => type === recordTypes.entry)
      .map(({ data }) => entry.decode(data))
      .filter(({ type, index }) => type === entryTypes.confChange && index > 2n)
      .map(({ data }) => confChange.decode(data));
    expect(changes).toMatchObject([
      { type: confChangeTypes.addVoter, memberId: 7n },
      { type: confChangeTypes.remove, memberId: 8n },
    ]);
    expect(JSON.parse(Buffer.from(changes[0]?.context ?? '').toString())).toMatchObject({ id: 7, isPromote: true });
  });

  test('of a member that was removed cannot become a single member', () => {
    const file = three().member(4n, 7n, confChangeTypes.remove).state(1n, 4n);
    expect(() => singleMemberRecords(read(file.bytes()))).toThrow('it was removed from its cluster');
  });

  test('whose last record was cut short ends before it, and says so', () => {
    const whole = three().entry(4n, 1n, 'y'.repeat(2_000));
    const cut = three().bytes(0).byteLength + 600;
    const torn = Buffer.concat([whole.bytes(0).subarray(0, cut), Buffer.alloc(4096)]);
    expect(read(torn)).toMatchObject({ lastIndex: 3n, end: { isTorn: true, offset: three().bytes(0).byteLength } });
  });

  test('whose file has no room after the last record was cut off, and says so: its end or the file after it is gone', () => {
    expect(read(three().bytes(0)).end.isTorn).toBe(true);
    expect(read(three().bytes(8)).end.isTorn).toBe(false);
  });

  test('with a changed byte is refused', () => {
    const bytes = three().entry(4n, 1n, 'precious').bytes();
    bytes[bytes.indexOf('precious')] = 0x51;
    expect(() => read(bytes)).toThrow('does not match its checksum');
  });

  test('whose last record was cut short by the end of the file ends before it, and says so', () => {
    const whole = three().entry(4n, 1n, 'y'.repeat(2_000)).bytes(0);
    for (let cut = three().bytes(0).byteLength + 1; cut < whole.byteLength; cut++)
      expect(read(whole.subarray(0, cut))).toMatchObject({ lastIndex: 3n, end: { isTorn: true } });
  });

  test('of whose last record a sector was not written ends before it, wherever the record begins in a sector', () => {
    for (let before = 0; before < 512; before += 8) {
      const file = three().entry(4n, 1n, 'x'.repeat(before));
      const start = file.bytes(0).byteLength;
      const whole = file.entry(5n, 1n, 'y'.repeat(2_000)).bytes();
      whole.fill(0, (Math.floor(start / 512) + 1) * 512, (Math.floor(start / 512) + 2) * 512);
      expect(read(whole)).toMatchObject({ lastIndex: 4n, end: { isTorn: true, offset: start } });
    }
  });

  test.each([
    ['beyond the file', 2, 0x40],
    ['into the zeros after the last record', 1, 0x20],
  ])('with a changed length that reaches %s is refused: what follows was acknowledged', (_where, byte, bit) => {
    const file = three();
    const starts: number[] = [];
    // At any position in a sector.
    for (let index = 4n; index < 100n; index++) {
      starts.push(file.bytes(0).byteLength);
      file.entry(index, 1n, 'y'.repeat(Number(index) % 17));
    }
    for (const start of starts) {
      const bytes = file.bytes(8_192);
      bytes.writeUInt8(bytes.readUInt8(start + byte) ^ bit, start + byte);
      expect(() => read(bytes)).toThrow(`byte ${start} of its write-ahead log (WAL) does not match its checksum`);
    }
  });

  test('with a file of zeros is refused: etcd begins a file before it gives it its name', () => {
    expect(() => read(three().bytes(0), Buffer.alloc(4_096))).toThrow('does not begin with a checksum record');
  });

  test('that ends before what its member had committed is refused', () => {
    expect(() => read(three().state(1n, 9n).bytes())).toThrow(
      'ends at index 3, but the member had committed up to index 9',
    );
  });

  test('without a beginning is refused', () => {
    expect(() => read()).toThrow('missing');
    expect(() => read(Buffer.alloc(512))).toThrow('does not begin');
  });
});
