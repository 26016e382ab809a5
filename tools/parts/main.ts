// SPDX-License-Identifier: Apache-2.0
import { constants } from 'node:os';
import { cachedPart, type EnsureOptions, ensureFrom, knownParts } from './ensure-part.ts';
import { megabytes } from './free-space.ts';
import { sizeOf } from './make-part.ts';
import { PartError } from './part.ts';
import { liveProgress, plainProgress } from './progress.ts';
import { partTable } from './table.ts';

const usage = `npm run tools -- [--path] <part> ...   makes sure of parts; with --path prints their directories only
npm run tools                          lists the parts and what is cached`;

/** `npm run tools`. Progress goes to standard error, results to standard output. */
async function main(args: readonly string[], signal: AbortSignal): Promise<void> {
  const names = args.filter((arg) => !arg.startsWith('-'));
  const flags = args.filter((arg) => arg.startsWith('-'));
  const unknownFlag = flags.find((flag) => flag !== '--path');
  if (unknownFlag || (flags.length > 0 && names.length === 0)) {
    process.stderr.write(`${usage}\n`);
    process.exitCode = flags.includes('--help') ? 0 : 2;
    return;
  }
  if (names.length === 0) return list();
  const progress = process.stderr.isTTY
    ? liveProgress(process.stderr)
    : plainProgress((line) => process.stderr.write(`${line}\n`));
  const options: EnsureOptions = { progress, signal };
  for (const name of names) {
    const part = await ensureFrom(partTable, name, options);
    process.stdout.write(flags.includes('--path') ? `${part.directory}\n` : `${name}: ${part.directory}\n`);
  }
}

async function list(): Promise<void> {
  const rows = await Promise.all(
    knownParts().map(async (name) => {
      const part = await cachedPart(partTable, name);
      const version = partTable[name]?.version ?? '';
      return [name, version, part ? 'cached' : 'not cached', part ? megabytes(await sizeOf(part)) : ''];
    }),
  );
  const table = [['PART', 'VERSION', 'STATE', 'SIZE'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  for (const row of table) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    process.stdout.write(`${cells.join('   ').trimEnd()}\n`);
  }
}

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    process.exitCode = 128 + constants.signals[signal];
    stop.abort(new Error(signal));
  });
}
try {
  await main(process.argv.slice(2), stop.signal);
} catch (error) {
  if (!(error instanceof PartError)) throw error;
  process.stderr.write(`etcd-operator: ${error.message}\n`);
  process.exitCode ||= 1;
}
