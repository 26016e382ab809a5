// SPDX-License-Identifier: Apache-2.0
import type { Clock } from './clock.ts';

/** From least to most severe. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** The fields of a line. The object that a line is about is always in the field `object`, as `Kind namespace/name`. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Structured logging: a constant message, data in fields. `Error` values in fields are logged with their message, code
 * and cause; fields whose names suggest a secret are masked.
 */
export interface Logger {
  trace(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to each of its lines. */
  child(fields: LogFields): Logger;
}

/** One line as the writer gets it. */
export interface LogRecord {
  readonly time: number;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

export interface LoggerOptions {
  /** Lines below this level are dropped without any work. @default 'info' */
  readonly level?: LogLevel;
  readonly clock: Pick<Clock, 'now'>;
  /** The writer: `jsonLines` or `textLines` on a stream, or a function of a test. */
  readonly write: (record: LogRecord) => void;
}

const severity: Readonly<Record<LogLevel, number>> = { trace: 0, debug: 1, info: 2, warn: 3, error: 4 };

/** Creates a logger. An error of the writer never affects the caller. */
export function createLogger(options: LoggerOptions, inherited: LogFields = {}): Logger {
  const threshold = severity[options.level ?? 'info'];
  const log = (level: LogLevel, message: string, fields?: LogFields) => {
    if (severity[level] < threshold) return;
    try {
      const merged = redact({ ...inherited, ...fields });
      options.write({ time: options.clock.now(), level, message, fields: merged });
    } catch {
      // Logging is best effort; the caller continues.
    }
  };
  return {
    trace: (message, fields) => log('trace', message, fields),
    debug: (message, fields) => log('debug', message, fields),
    info: (message, fields) => log('info', message, fields),
    warn: (message, fields) => log('warn', message, fields),
    error: (message, fields) => log('error', message, fields),
    child: (fields) => createLogger(options, { ...inherited, ...fields }),
  };
}

/** A logger that drops everything. */
export const silentLogger: Logger = createLogger({ clock: { now: () => 0 }, write: () => undefined });

/**
 * Matches the names of fields that hold secrets, by their last words. `accessToken` and `ACCESS_TOKEN` have become
 * `access-token` before.
 */
const secretName =
  /(^|-)(password|passwd|passphrase|token|secret|authorization|cookie|private-key|api-key|secret-access-key|credentials?)$/;

function isSecretName(name: string): boolean {
  const words = name.replaceAll('_', '-').replace(/([a-z0-9])([A-Z])/g, '$1-$2');
  return secretName.test(words.toLowerCase());
}

/** Masks fields whose names suggest a secret, and makes errors and bigints serializable. The depth is limited. */
function redact(fields: LogFields): LogFields {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, printable(key, value, 0)]));
}

function printable(key: string, value: unknown, depth: number): unknown {
  if (isSecretName(key)) return masked(value);
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Error) return printableError(value, depth);
  if (value === null || typeof value !== 'object') return value;
  if (depth >= 6) return '...';
  if (Array.isArray(value)) return value.map((item) => printable(key, item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, printable(name, item, depth + 1)]));
}

/** Replaces texts and objects by `***`. Numbers, booleans and absent values reveal nothing and stay. */
function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  const isHarmless = value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean';
  return isHarmless ? value : '***';
}

function printableError(error: Error, depth: number): LogFields {
  const { code } = error as { code?: unknown };
  return {
    message: error.message,
    ...(code === undefined ? {} : { code: printable('code', code, depth + 1) }),
    ...(error.cause instanceof Error && depth < 6 ? { cause: printableError(error.cause, depth + 1) } : {}),
  };
}
