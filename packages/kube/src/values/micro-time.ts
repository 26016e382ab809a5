// SPDX-License-Identifier: Apache-2.0
import { ParseError } from './parse-error.ts';

const rfc3339 = /^(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)$/;

/** `MicroTime` of Leases and Events: with exactly six digits of a second; the server refuses any other form. */
export function formatMicroTime(milliseconds: number): string {
  const microseconds = Math.round(milliseconds * 1000);
  const rest = ((microseconds % 1e6) + 1e6) % 1e6;
  return `${new Date((microseconds - rest) / 1000).toISOString().slice(0, 19)}.${String(rest).padStart(6, '0')}Z`;
}

/** `Time` of all other fields: whole seconds, truncated. */
export function formatTime(milliseconds: number): string {
  return `${new Date(Math.floor(milliseconds / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}

/** Parses a `MicroTime` or a `Time`, to milliseconds since the epoch with microseconds as their fraction. */
export function parseTime(text: string): number {
  const [, seconds = '', fraction = '', zone = ''] = rfc3339.exec(text) ?? invalid(text);
  const milliseconds = Date.parse(`${seconds}${zone}`);
  if (Number.isNaN(milliseconds)) invalid(text);
  return milliseconds + Number(fraction.padEnd(6, '0').slice(0, 6)) / 1000;
}

function invalid(text: string): never {
  throw new ParseError('Time', `${JSON.stringify(text)} is not an RFC 3339 time such as 2026-01-31T12:00:00Z`);
}
