// SPDX-License-Identifier: Apache-2.0

const pattern = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;
const layout = '2006-01-02T15:04:05Z07:00';
const microLayout = '2006-01-02T15:04:05.000000Z07:00';

/** The error of an invalid time, with Go's message. */
export interface TimeProblem {
  readonly problem: string;
}

const known = new Map<string, string>();
const knownLimit = 1000;

/** `metav1.Time` as the server writes it back: whole seconds, UTC. */
export function canonicalTime(text: string): string | TimeProblem {
  // Cached: the times of an object are parsed at each write, and objects that were created together have the same
  // times.
  const before = known.get(text);
  if (before !== undefined) return before;
  const time = readTime(text);
  if (typeof time === 'string') {
    if (known.size >= knownLimit) known.clear();
    known.set(text, time);
  }
  return time;
}

function readTime(text: string): string | TimeProblem {
  const match = pattern.exec(text);
  const milliseconds = match ? Date.parse(text.replace(/\.\d+/, '')) : Number.NaN;
  if (Number.isNaN(milliseconds)) return unreadable(text, layout, '2006');
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** `metav1.MicroTime` as the server writes it back: exactly six digits of a second, UTC. */
export function canonicalMicroTime(text: string): string | TimeProblem {
  const match = pattern.exec(text);
  const milliseconds = match ? Date.parse(text.replace(/\.\d+/, '')) : Number.NaN;
  if (!match || Number.isNaN(milliseconds)) return unreadable(text, microLayout, '2006');
  const fraction = match[7] ?? '';
  if (fraction.length > 7) {
    const rest = text.slice(19 + 7);
    return { problem: `parsing time "${text}" as "${microLayout}": cannot parse "${rest}" as "Z07:00"` };
  }
  if (fraction.length !== 7) {
    const rest = text.slice(19);
    return { problem: `parsing time "${text}" as "${microLayout}": cannot parse "${rest}" as ".000000"` };
  }
  return `${new Date(milliseconds).toISOString().slice(0, 19)}${fraction}Z`;
}

function unreadable(text: string, expected: string, part: string): TimeProblem {
  return { problem: `parsing time "${text}" as "${expected}": cannot parse "${text}" as "${part}"` };
}
