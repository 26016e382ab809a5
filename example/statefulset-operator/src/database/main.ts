// SPDX-License-Identifier: Apache-2.0
import { hostname } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startDatabase } from './database.ts';

/** One pod of the StatefulSet. The pod in the primary's address is the primary; the others replicate it. */
const args = process.argv.slice(2).map((arg) => arg.replace(/^-(?!-)/, '--'));
const { values } = parseArgs({ args, options: { primary: { type: 'string' }, port: { type: 'string' } } });
const address = values.primary ?? '';
const isPrimary = URL.canParse(address) && new URL(address).hostname.startsWith(`${hostname()}.`);
const database = await startDatabase({
  file: join('/data', 'log'),
  port: Number(values.port),
  primary: isPrimary ? undefined : address,
});
process.stdout.write(`${hostname()} is ${isPrimary ? 'the primary' : `a replica of ${address}`}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void database[Symbol.asyncDispose]());
