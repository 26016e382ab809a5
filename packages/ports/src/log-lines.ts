// SPDX-License-Identifier: Apache-2.0
import type { LogLevel, LogRecord } from './logger.ts';

/** The stream interface of a log writer. */
export interface LineSink {
  write(line: string): unknown;
}

/** One JSON object per line: time, level, msg, then the fields. For programs. */
export function jsonLines(sink: LineSink): (record: LogRecord) => void {
  return ({ time, level, message, fields }) => {
    sink.write(`${JSON.stringify({ time: new Date(time).toISOString(), level, msg: message, ...fields })}\n`);
  };
}

const letters: Readonly<Record<LogLevel, string>> = { trace: 'T', debug: 'D', info: 'I', warn: 'W', error: 'E' };

/** One readable line: letter and time, message, then `key=value` pairs. For terminals. */
export function textLines(sink: LineSink): (record: LogRecord) => void {
  return ({ time, level, message, fields }) => {
    const pairs = Object.entries(fields).map(([key, value]) => ` ${key}=${inline(value)}`);
    sink.write(`${letters[level]} ${new Date(time).toISOString().slice(11, 23)} ${message}${pairs.join('')}\n`);
  };
}

function inline(value: unknown): string {
  if (typeof value === 'string') return /^[\w.,:;/@+-]+$/.test(value) ? value : JSON.stringify(value);
  return JSON.stringify(value) ?? 'undefined';
}
