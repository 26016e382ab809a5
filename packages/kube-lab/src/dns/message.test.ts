// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DnsAnswer, dnsTypes, encodeAnswer, encodeName, parseQuestion, readName } from './message.ts';

const label = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,20}$/);
const name = fc.array(label, { minLength: 1, maxLength: 6 }).map((labels) => labels.join('.'));

/** A query in the format of resolvers. */
function query(text: string, type: number, id = 7, options: { edns?: number } = {}): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(0x0100, 2);
  header.writeUInt16BE(1, 4);
  const tail = Buffer.alloc(4);
  tail.writeUInt16BE(type, 0);
  tail.writeUInt16BE(1, 2);
  const parts = [header, encodeName(text), tail];
  if (options.edns) {
    const opt = Buffer.alloc(11);
    opt.writeUInt16BE(41, 1);
    opt.writeUInt16BE(options.edns, 3);
    header.writeUInt16BE(1, 10);
    parts.push(opt);
  }
  return Buffer.concat(parts);
}

describe('a question', () => {
  test('is read as it was asked', () => {
    fc.assert(
      fc.property(name, fc.integer({ min: 1, max: 255 }), fc.nat(65_535), (text, type, id) => {
        expect(parseQuestion(query(text, type, id))).toMatchObject({
          id,
          name: text,
          type,
          recursionDesired: true,
          maxBytes: 512,
        });
      }),
    );
  });

  test('may offer room for a larger answer', () => {
    expect(parseQuestion(query('a.b', 1, 1, { edns: 1232 }))?.maxBytes).toBe(1232);
    expect(parseQuestion(query('a.b', 1, 1, { edns: 100 }))?.maxBytes).toBe(512);
  });

  test('of any bytes never breaks the reader', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
        parseQuestion(bytes);
        readName(Buffer.from(bytes), 0);
      }),
    );
    expect(parseQuestion(query('a.b', 1).subarray(0, 15))).toBeUndefined();
  });

  test('an answer, or several questions, is not a valid query', () => {
    const answer = query('a.b', 1);
    answer.writeUInt16BE(0x8180, 2);
    expect(parseQuestion(answer)).toBeUndefined();
    const two = query('a.b', 1);
    two.writeUInt16BE(2, 4);
    expect(parseQuestion(two)).toBeUndefined();
  });
});

describe('an answer', () => {
  const question = parseQuestion(query('web.svc', dnsTypes.A, 9));
  const encode = (answer: Partial<DnsAnswer>, limit?: number) => {
    if (!question) throw new Error('no question');
    return Buffer.from(encodeAnswer(question, { code: 'NOERROR', answers: [], additional: [], ...answer }, 5, limit));
  };

  test('repeats the question and its number, with the code', () => {
    const packet = encode({ code: 'NXDOMAIN' });
    expect(packet.readUInt16BE(0)).toBe(9);
    expect(packet.readUInt16BE(2) & 0x000f).toBe(3);
    expect(packet.readUInt16BE(2) & 0x8000).toBe(0x8000);
    expect(readName(packet, 12)?.text).toBe('web.svc');
  });

  test('carries addresses, names and services', () => {
    const packet = encode({
      answers: [
        { type: 'A', name: 'web.svc', address: '10.1.2.3' },
        { type: 'PTR', name: 'x', target: 'y.z' },
      ],
      additional: [{ type: 'SRV', name: 's', priority: 1, weight: 2, port: 3, target: 't' }],
    });
    expect([packet.readUInt16BE(6), packet.readUInt16BE(10)]).toEqual([2, 1]);
    expect(packet.includes(Buffer.from([0, 4, 10, 1, 2, 3]))).toBe(true);
    expect(packet.includes(encodeName('y.z'))).toBe(true);
    expect(packet.includes(Buffer.concat([Buffer.from([0, 1, 0, 2, 0, 3]), encodeName('t')]))).toBe(true);
  });

  test('that does not fit is sent empty and marked, so that TCP is used', () => {
    const answers = Array.from(
      { length: 40 },
      (_, index) => ({ type: 'A', name: 'web.svc', address: `10.0.0.${index}` }) as const,
    );
    const packet = encode({ answers }, 512);
    expect(packet.length).toBeLessThanOrEqual(512);
    expect(packet.readUInt16BE(2) & 0x0200).toBe(0x0200);
    expect(packet.readUInt16BE(6)).toBe(0);
    expect(encode({ answers }).readUInt16BE(6)).toBe(40);
  });
});
