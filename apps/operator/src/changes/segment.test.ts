// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RevisionChanges } from './revision-changes.ts';
import { decodeSegment, SegmentBuilder } from './segment.ts';
import { fromSnapshot, inPieces, put, segmentOf } from './testing/changes.ts';

const bytesOf = (...args: Parameters<typeof segmentOf>) => Buffer.concat(segmentOf(...args).pieces);

async function read(bytes: Uint8Array, pieceBytes?: number) {
  const segment = await decodeSegment(inPieces(bytes, pieceBytes));
  const revisions: RevisionChanges[] = [];
  for await (const one of segment.revisions) revisions.push(one);
  return { header: segment.header, revisions, history: segment.history() };
}

/** Changes with all bytes as text, so that Buffer and Uint8Array compare as equal. */
const asText = (changes: readonly RevisionChanges[]) =>
  changes.map(({ events, ...one }) => ({
    ...one,
    events: events.map(({ type, kv }) => ({ type, ...kv, key: hex(kv.key), value: hex(kv.value) })),
  }));
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

const codeOf = (bytes: Uint8Array) =>
  read(bytes).then(
    () => 'read',
    (error: { readonly code?: string }) => error.code ?? error,
  );

const revisions = fc
  .record({
    from: fc.bigInt({ min: 2n, max: 2n ** 62n }),
    lists: fc.array(
      fc.record({
        wait: fc.nat(5_000),
        events: fc.array(
          fc.record({
            type: fc.constantFrom('put' as const, 'delete' as const),
            key: fc.uint8Array({ minLength: 1, maxLength: 20 }),
            value: fc.uint8Array({ maxLength: 300 }),
            lease: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
            version: fc.bigInt({ min: 0n, max: 2n ** 40n }),
          }),
          { minLength: 1, maxLength: 6 },
        ),
      }),
      { minLength: 1, maxLength: 10 },
    ),
  })
  .map(({ from, lists }) => {
    let at = 1_700_000_000_000;
    return lists.map(({ wait, events }, index): RevisionChanges => {
      const revision = from + BigInt(index);
      at += wait;
      const kvOf = ({ key, value, lease, version }: (typeof events)[number]) => ({
        key: Buffer.from(key),
        value: Buffer.from(value),
        lease,
        version,
        createRevision: version,
        modRevision: revision,
      });
      return { revision, at, events: events.map((event) => ({ type: event.type, kv: kvOf(event) })) };
    });
  });

describe('a segment', () => {
  test('gives back what was put into it, however it is cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(revisions, fc.integer({ min: 1, max: 200 }), async (changes, pieceBytes) => {
        const leases = new Map([[7n, 60]]);
        const sealed = segmentOf(changes, { leases });
        const bytes = Buffer.concat(sealed.pieces);
        expect(bytes.byteLength).toBe(sealed.bytes);
        const found = await read(bytes, pieceBytes);
        expect(found.header).toEqual(sealed.header);
        expect(found.history).toBe(sealed.history);
        expect(asText(found.revisions)).toEqual(asText(changes));
      }),
    );
  });

  test('with any byte changed is refused', async () => {
    const bytes = bytesOf([put(5n), put(6n)], { leases: new Map([[1n, 60]]) });
    for (let at = 0; at < bytes.byteLength; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect([at, await codeOf(changed)]).not.toEqual([at, 'read']);
    }
  });

  test('that was cut off anywhere, or goes on after its end, is refused', async () => {
    const bytes = bytesOf([put(5n), put(6n)]);
    for (let length = 0; length < bytes.byteLength; length += 1)
      expect([length, await codeOf(bytes.subarray(0, length))]).toEqual([length, 'Incomplete']);
    expect(await codeOf(Buffer.concat([bytes, Buffer.alloc(1)]))).toBe('Damaged');
  });

  test('is not mistaken for what is something else', async () => {
    expect(await codeOf(Buffer.from('ETCDENC1, which is an encrypted backup'))).toBe('UnknownFormat');
    const newer = Buffer.from(
      bytesOf([put(5n)])
        .toString('latin1')
        .replace('changes/v1', 'changes/v2'),
      'latin1',
    );
    await expect(read(newer)).rejects.toThrow('this operator reads only format etcd-changes/v1');
  });

  test('takes only the next revision, and only changes of that revision', () => {
    const builder = new SegmentBuilder(5n);
    builder.add(put(5n));
    for (const wrong of [5n, 7n]) expect(() => builder.add(put(wrong))).toThrow('revision 6 was expected next');
    expect(() => builder.add({ ...put(5n), revision: 6n })).toThrow('has no changes, or changes of another revision');
    expect(() => builder.add({ revision: 6n, at: 0, events: [] })).toThrow(
      'has no changes, or changes of another revision',
    );
    expect(builder.next).toBe(6n);
  });

  test('whose revisions are in another order is refused, also if its digest fits', async () => {
    const header = segmentOf([put(5n), put(6n)]);
    const [magic, length, about, frame5, events5, frame6, events6] = header.pieces;
    const swapped = [magic, length, about, frame6, events6, frame5, events5].map((piece) => piece ?? Buffer.alloc(0));
    const { createHash } = await import('node:crypto');
    const digest = createHash('sha256').update(Buffer.concat(swapped)).digest();
    expect(await codeOf(Buffer.concat([...swapped, digest]))).toBe('OutOfOrder');
  });

  test('that follows a snapshot begins with the revision after it', async () => {
    expect(await codeOf(bytesOf([put(5n)], { before: fromSnapshot(3n) }))).toBe('OutOfOrder');
  });

  test('has the same history whoever saw it and whenever, and another one if a change differs', () => {
    const history = (...changes: readonly RevisionChanges[]) => segmentOf(changes).history;
    expect(history(put(5n, 1), put(6n, 2))).toBe(history(put(5n, 10), put(6n, 20)));
    expect(history(put(5n), put(6n))).not.toBe(history(put(5n), put(6n, 1_000, 'other')));
  });

  test('has times that do not run backwards, also if the clock does', async () => {
    const found = await read(bytesOf([put(5n, 2_000), put(6n, 1_000), put(7n, 3_000)]));
    expect(found.revisions.map(({ at }) => at)).toEqual([2_000, 2_000, 3_000]);
    expect(found.header).toMatchObject({ firstAt: 2_000, lastAt: 3_000 });
  });

  test('is read no further than it is asked for, and its source is closed when the reader leaves', async () => {
    let [given, isClosed] = [0, false];
    const bytes = bytesOf([put(5n, 1, 'x'.repeat(10_000)), put(6n), put(7n)]);
    const source = async function* () {
      try {
        for await (const piece of inPieces(bytes, 100)) {
          given += piece.byteLength;
          yield piece;
        }
      } finally {
        isClosed = true;
      }
    };
    const segment = await decodeSegment(source());
    expect(given).toBeLessThan(1_000);
    for await (const _one of segment.revisions) break;
    expect(isClosed).toBe(true);
    expect(() => segment.history()).toThrow('is not finished');
  });
});
