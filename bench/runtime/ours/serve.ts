// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { type Client, connect, createClient } from '@operator-parts/kube';

/** Answers each word on standard input with a line of JSON, as the programs of bench/go do, and ends with its input. */
export async function serve(handle: (word: string) => Promise<object> | object): Promise<void> {
  process.stdout.write('{"ready":true}\n');
  for await (const word of createInterface(process.stdin)) {
    process.stdout.write(`${JSON.stringify(await handle(word))}\n`);
  }
  process.exit(0);
}

/** A flag of the command line. */
export function flag(name: string): string {
  const options = Object.fromEntries(
    ['kind', 'count', 'concurrency', 'with-pods', 'codec', 'mode'].map((known) => [known, { type: 'string' }] as const),
  );
  return String(parseArgs({ options }).values[name] ?? '');
}

/** A client for the API server in the environment. */
export async function clientOfEnvironment(): Promise<Client> {
  const { BENCH_SERVER: server = '', BENCH_TOKEN: token = '', BENCH_CA: ca = '' } = process.env;
  const pem = await readFile(ca, 'utf8');
  return createClient(
    connect({
      server,
      namespace: 'default',
      certificateAuthority: { kind: 'data', pem },
      credential: { kind: 'token', token },
      source: 'benchmark',
    }),
  );
}

/** Seconds of all threads, in user and kernel mode. */
export function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Frees unused memory, so that only used memory is measured. */
export function collectGarbage(): void {
  for (let turn = 0; turn < 3; turn++) globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

export interface Quantiles {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export function quantilesOf(values: readonly number[]): Quantiles {
  const sorted = Float64Array.from(values).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
}
