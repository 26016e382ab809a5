// SPDX-License-Identifier: Apache-2.0
import { constants } from 'node:os';
import { removeLeftovers } from './build/build-directory.ts';
import { megabytes } from './build/free-space.ts';
import { sizeOf } from './build/make-part.ts';
import { liveProgress, plainProgress } from './build/progress.ts';
import { cacheDirectory, partsDirectory } from './cache-directory.ts';
import { cachedPart, ensureFrom } from './ensure-part.ts';
import { PartError } from './part.ts';
import type { PartTable } from './recipes/recipe.ts';

const usage = `npm run tools                           lists the parts, and which are cached
npm run tools -- <part> ...             makes sure of parts
npm run -s tools -- --path <part> ...   the same, and prints their directories only
`;

const seeHelp = 'npm run tools -- --help says what it takes';

/**
 * `npm run tools` on a table. Progress goes to standard error, results to standard output. SIGINT, SIGTERM and SIGHUP
 * end a build, clean up, and give the usual status (130, 143, 129).
 */
export async function runCommandLine(table: PartTable, args: readonly string[]): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      process.exitCode = 128 + constants.signals[signal];
      stop.abort(new Error(signal));
    });
  }
  // A reader that stops (`| head`) is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  try {
    await dispatch(table, args, stop.signal);
  } catch (error) {
    if (!(error instanceof PartError)) throw error;
    process.stderr.write(`etcd-operator: ${error.message}\n`);
    process.exitCode ||= 1;
  }
}

async function dispatch(table: PartTable, args: readonly string[], signal: AbortSignal): Promise<void> {
  const names = args.filter((arg) => !arg.startsWith('-'));
  const flags = args.filter((arg) => arg.startsWith('-'));
  if (flags.includes('--help')) {
    process.stdout.write(usage);
  } else if (flags.some((flag) => flag !== '--path') || (flags.length > 0 && names.length === 0)) {
    const wrong = flags.find((flag) => flag !== '--path');
    process.stderr.write(wrong ? `Unknown option '${wrong}'; ${seeHelp}\n` : `--path takes a part; ${seeHelp}\n`);
    process.exitCode = 2;
  } else if (names.length === 0) {
    await list(table);
  } else {
    await ensureAll(table, names, flags.includes('--path'), signal);
  }
}

async function ensureAll(
  table: PartTable,
  names: readonly string[],
  pathOnly: boolean,
  signal: AbortSignal,
): Promise<void> {
  const progress = process.stderr.isTTY
    ? liveProgress(process.stderr)
    : plainProgress((line) => process.stderr.write(`${line}\n`));
  for (const name of names) {
    const part = await ensureFrom(table, name, { progress, signal });
    process.stdout.write(pathOnly ? `${part.directory}\n` : `${name} (${part.version}): ${part.directory}\n`);
  }
}

async function list(table: PartTable): Promise<void> {
  await removeLeftovers(partsDirectory(cacheDirectory()));
  const rows = await Promise.all(
    Object.entries(table).map(async ([name, { version }]) => {
      const part = await cachedPart(table, name);
      return part ? [name, part.version, 'cached', megabytes(await sizeOf(part))] : [name, version, 'not cached', ''];
    }),
  );
  const lines = [['PART', 'VERSION', 'STATE', 'SIZE'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  for (const cells of lines) {
    const padded = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    process.stdout.write(`${padded.join('   ').trimEnd()}\n`);
  }
}
