// SPDX-License-Identifier: Apache-2.0
import type { Environment } from '@marcbachmann/cel-js';
import { goPattern } from '../crd/schema/schema-node.ts';

/** String functions that the library lacks: the rest of CEL's string extension, and Kubernetes' regular expressions. */
export function registerStrings(environment: Environment): void {
  environment
    .registerFunction('string.charAt(int): string', (text: string, at: bigint) => [...text][Number(at)] ?? '')
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
      text.replaceAll(from, () => to),
    )
    .registerFunction('string.replace(string, string, int): string', replaceSome)
    .registerFunction('string.reverse(): string', (text: string) => [...text].reverse().join(''))
    .registerFunction('string.format(list<dyn>): string', (pattern: string, values: readonly unknown[]) =>
      formatText(pattern, values),
    )
    .registerFunction('string.find(string): string', (text: string, pattern: string) => findAll(text, pattern)[0] ?? '')
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) => findAll(text, pattern))
    .registerFunction('string.findAll(string, int): list<string>', (text: string, pattern: string, limit: bigint) =>
      limit < 0n ? findAll(text, pattern) : findAll(text, pattern).slice(0, Number(limit)),
    );
}

function replaceSome(text: string, from: string, to: string, limit: bigint): string {
  if (limit < 0n) return text.replaceAll(from, () => to);
  let left = Number(limit);
  return text.replaceAll(from, (found) => (left-- > 0 ? to : found));
}

function findAll(text: string, pattern: string): string[] {
  const { source, flags } = goPattern(pattern);
  return [...text.matchAll(new RegExp(source, flags.includes('g') ? flags : `${flags}g`))].map(([found]) => found);
}

function formatText(pattern: string, values: readonly unknown[]): string {
  let next = 0;
  return pattern.replace(/%(?:\.(\d+))?([sdfexXob%])/g, (_match, precision: string | undefined, verb: string) => {
    if (verb === '%') return '%';
    return formatValue(values[next++], verb, precision);
  });
}

function formatValue(value: unknown, verb: string, precision: string | undefined): string {
  switch (verb) {
    case 'f':
      return Number(value).toFixed(Number(precision ?? 6));
    case 'e':
      return Number(value).toExponential(Number(precision ?? 6));
    case 'x':
      return typeof value === 'bigint' ? value.toString(16) : Buffer.from(String(value)).toString('hex');
    case 'X':
      return formatValue(value, 'x', precision).toUpperCase();
    case 'o':
      return (value as bigint).toString(8);
    case 'b':
      return (value as bigint).toString(2);
    default:
      return showText(value);
  }
}

function showText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(showText).join(', ')}]`;
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  if (value !== null && typeof value === 'object') {
    const entries = value instanceof Map ? [...value] : Object.entries(value);
    return `{${entries.map(([key, item]) => `${String(key)}: ${showText(item)}`).join(', ')}}`;
  }
  return String(value);
}
