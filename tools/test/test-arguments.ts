// SPDX-License-Identifier: Apache-2.0
import { readCommandLine, type Usage } from '../command-line.ts';

/** The accepted options of vitest. It ignores unknown options, so a typo would run everything. */
const options = {
  testNamePattern: { type: 'string', short: 't' },
  update: { type: 'boolean', short: 'u' },
  reporter: { type: 'string', multiple: true },
  bail: { type: 'string' },
  retry: { type: 'string' },
  shard: { type: 'string' },
  maxWorkers: { type: 'string' },
  testTimeout: { type: 'string' },
} as const;

const help = `Options of vitest that are passed on:
  -t, --testNamePattern NAME   only tests whose name contains this
  --changed [SINCE]            only files that import, through others too, what differs from a commit, the last by default;
                               programs that a test starts and texts that it reads are not followed
  -u, --update                 writes snapshots again
  --bail N, --retry N, --shard I/N, --maxWorkers N, --testTimeout MS, --reporter NAME
`;

/** Returns the arguments for vitest unchanged; `own` names switches of the command itself. */
export function readTestArguments(usage: Usage, own: readonly string[] = []): readonly string[] {
  const args = process.argv.slice(2);
  const named = args.filter((arg) => !own.includes(arg) && !/^--changed(=|$)/.test(arg));
  readCommandLine({ ...usage, help: `${usage.help}\n${help}` }, { options, allowPositionals: true }, named);
  return args;
}
