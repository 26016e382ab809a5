// SPDX-License-Identifier: Apache-2.0
import { type DnsRecord, ipv6Bytes } from './record.ts';

/** A question as received. The name keeps the client's upper and lower case; compare it in lower case. */
export interface DnsQuestion {
  readonly id: number;
  readonly name: string;
  /** Numeric, because not every type has a name here. */
  readonly type: number;
  readonly recursionDesired: boolean;
  /** The maximum answer size that the client accepts over UDP. */
  readonly maxBytes: number;
  /** The question section as received, to be repeated in the answer. */
  readonly section: Uint8Array;
}

/** Response codes that the lab uses. */
export const dnsCodes = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;
export type DnsCode = keyof typeof dnsCodes;

/** Numbers of the record types that the lab supports. A query for another type gets an answer without records. */
export const dnsTypes = { A: 1, CNAME: 5, SOA: 6, PTR: 12, AAAA: 28, SRV: 33, ANY: 255 } as const;

export interface DnsAnswer {
  readonly code: DnsCode;
  readonly answers: readonly DnsRecord[];
  /** Additional records, such as the addresses of SRV targets. */
  readonly additional: readonly DnsRecord[];
}

const headerBytes = 12;
const optType = 41;

/** Parses a query. Undefined unless the packet contains exactly one valid question. */
export function parseQuestion(packet: Uint8Array): DnsQuestion | undefined {
  const view = Buffer.from(packet.buffer, packet.byteOffset, packet.byteLength);
  if (view.length < headerBytes + 5) return undefined;
  const flags = view.readUInt16BE(2);
  const isQuery = (flags & 0x8000) === 0 && (flags & 0x7800) === 0;
  if (!isQuery || view.readUInt16BE(4) !== 1) return undefined;
  const name = readName(view, headerBytes);
  if (!name || name.end + 4 > view.length) return undefined;
  return {
    id: view.readUInt16BE(0),
    name: name.text,
    type: view.readUInt16BE(name.end),
    recursionDesired: (flags & 0x0100) !== 0,
    maxBytes: udpSize(view, name.end + 4),
    section: new Uint8Array(view.subarray(headerBytes, name.end + 4)),
  };
}

/**
 * Writes the answer. Over UDP an answer that is too long is sent empty with the truncation bit, so that the client
 * retries over TCP.
 */
export function encodeAnswer(question: DnsQuestion, answer: DnsAnswer, ttl: number, limit = 65_535): Uint8Array {
  const records = [...answer.answers, ...answer.additional].map((record) => encodeRecord(record, ttl));
  const full = assemble(question, answer, records, answer.answers.length, false);
  return full.length <= limit ? full : assemble(question, answer, [], 0, true);
}

function assemble(
  question: DnsQuestion,
  answer: DnsAnswer,
  records: readonly Buffer[],
  answerCount: number,
  truncated: boolean,
): Uint8Array {
  const header = Buffer.alloc(headerBytes);
  const authoritative = 0x0400;
  const recursion = 0x0080 | (question.recursionDesired ? 0x0100 : 0);
  header.writeUInt16BE(question.id, 0);
  header.writeUInt16BE(0x8000 | authoritative | recursion | (truncated ? 0x0200 : 0) | dnsCodes[answer.code], 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(answerCount, 6);
  header.writeUInt16BE(0, 8);
  header.writeUInt16BE(records.length - answerCount, 10);
  return new Uint8Array(Buffer.concat([header, question.section, ...records]));
}

function encodeRecord(record: DnsRecord, ttl: number): Buffer {
  const data = recordData(record);
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(dnsTypes[record.type], 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([encodeName(record.name), fixed, data]);
}

function recordData(record: DnsRecord): Buffer {
  switch (record.type) {
    case 'A':
      return Buffer.from(record.address.split('.').map(Number));
    case 'AAAA':
      return Buffer.from(ipv6Bytes(record.address));
    case 'PTR':
    case 'CNAME':
      return encodeName(record.target);
    case 'SRV': {
      const numbers = Buffer.alloc(6);
      numbers.writeUInt16BE(record.priority, 0);
      numbers.writeUInt16BE(record.weight, 2);
      numbers.writeUInt16BE(record.port, 4);
      return Buffer.concat([numbers, encodeName(record.target)]);
    }
  }
}

/** Names are not compressed: the answers of the lab are small, and all clients accept it. */
export function encodeName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  const parts = labels.map((label) => {
    const bytes = Buffer.from(label, 'latin1').subarray(0, 63);
    return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  });
  return Buffer.concat([...parts, Buffer.from([0])]);
}

/**
 * Parses a name at `offset`. Undefined if it is invalid. Compression pointers are invalid here: nothing precedes the
 * first name of a packet to which they could point.
 */
export function readName(packet: Buffer, offset: number): { readonly text: string; readonly end: number } | undefined {
  const labels: string[] = [];
  let position = offset;
  for (let length = packet[position]; length !== 0; length = packet[position]) {
    if (length === undefined || length > 63 || position + 1 + length > packet.length) return undefined;
    labels.push(packet.toString('latin1', position + 1, position + 1 + length));
    position += 1 + length;
  }
  return { text: labels.join('.'), end: position + 1 };
}

/**
 * The maximum answer size from the EDNS record (OPT), or 512. Only an OPT record directly after the question is read.
 */
function udpSize(packet: Buffer, offset: number): number {
  const isOpt = packet[offset] === 0 && offset + 5 <= packet.length && packet.readUInt16BE(offset + 1) === optType;
  return isOpt ? Math.max(512, packet.readUInt16BE(offset + 3)) : 512;
}
