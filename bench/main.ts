// SPDX-License-Identifier: Apache-2.0
import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import type { BenchmarkResult } from './benchmark.ts';
import { benchmarks } from './benchmarks.ts';
import { resultTable } from './result-table.ts';

/**
 * `npm run bench [-- --only B2,B5] [--json]`: each benchmark against its peer in the same run. Results go to standard
 * output, as a table or as one JSON object; progress goes to standard error. The exit status is 1 if a bar is missed or
 * a benchmark failed.
 */
const usage = 'npm run bench -- [--only B2,B5 ...] [--json]\n';
const interruption = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    process.exitCode = 128 + constants.signals[name];
    interruption.abort(new Error(`interrupted by ${name}`));
  });
}
await main();

async function main(): Promise<void> {
  const options = readArguments();
  if (typeof options === 'string') {
    process.stderr.write(`${options}; npm run bench -- --help says what it takes\n`);
    process.exitCode = 2;
    return;
  }
  if (options.help) {
    process.stdout.write(`${usage}There are: ${Object.keys(benchmarks).join(', ')}\n`);
    return;
  }
  const results: Record<string, BenchmarkResult> = {};
  for (const id of options.ids) {
    const result = await runOne(id);
    if (result) results[id] = result;
    if (!result?.ok) process.exitCode ||= 1;
    if (interruption.signal.aborted) break;
  }
  process.stdout.write(options.json ? `${JSON.stringify(results)}\n` : resultTable(results));
}

interface Options {
  readonly ids: readonly string[];
  readonly json: boolean;
  readonly help: boolean;
}

/** Throws an error with a message if they are invalid. */
function readArguments(): Options | string {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const named = values.only?.flatMap((word) => word.split(',')).map((word) => word.trim());
    const ids = named ?? Object.keys(benchmarks);
    const unknown = ids.find((id) => !Object.hasOwn(benchmarks, id));
    if (unknown !== undefined) return `there is no benchmark "${unknown}"`;
    return { ids, json: values.json, help: values.help };
  } catch (error) {
    return (error instanceof Error ? error.message : String(error)).split(/\.\s/)[0] ?? '';
  }
}

/** A failed benchmark is reported; the others still run. */
async function runOne(id: string): Promise<BenchmarkResult | undefined> {
  const report = (line: string) => process.stderr.write(`${id}: ${line}\n`);
  try {
    const benchmark = await benchmarks[id]?.();
    if (benchmark === undefined) return undefined;
    report(`${benchmark.title} (Node ${process.versions.node})`);
    return await benchmark.run(report, interruption.signal);
  } catch (error) {
    const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
    report(interruption.signal.aborted ? 'interrupted' : `failed: ${words}`);
    return undefined;
  }
}
