// SPDX-License-Identifier: Apache-2.0
import { numberOf, parseFlags, usage } from '../command-line.ts';
import { startNeutron } from './neutron-server.ts';

const flags = { port: { help: 'port on loopback (default 9696)', default: '9696' } } as const;

async function run(given: Readonly<Record<keyof typeof flags, string>>): Promise<void> {
  const server = await startNeutron({ port: numberOf(flags, given, 'port', [0, 65_535]) });
  process.stdout.write(`Neutron listens at ${server.url}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server[Symbol.asyncDispose]());
}

try {
  const given = parseFlags(flags, process.argv.slice(2));
  if (given === 'help') process.stdout.write(`${usage(flags)}\n`);
  else await run(given);
} catch (error) {
  process.stderr.write(`neutron: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
