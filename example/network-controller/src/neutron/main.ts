// SPDX-License-Identifier: Apache-2.0
import { parseFlags } from '../command-line.ts';
import { startNeutron } from './neutron-server.ts';

const flags = { port: { help: 'port on loopback (default 9696)', default: '9696' } } as const;

const { port } = parseFlags(flags, process.argv.slice(2));
const server = await startNeutron({ port: Number(port) });
process.stdout.write(`Neutron listens at ${server.url}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server[Symbol.asyncDispose]());
