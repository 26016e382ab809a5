// SPDX-License-Identifier: Apache-2.0
/** `npm run lab -- COMMAND`: sends a command to the playground in another terminal. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ask } from './control/control-client.ts';
import { labHelp } from './control/lab-help.ts';
import { type Entry, playgrounds, whenGone } from './control/registry.ts';
import { parseRequest, type Request, RequestError } from './control/request.ts';
import { runShell } from './shell.ts';

// `npm run lab -- events | head` ends quietly.
process.stdout.on('error', () => process.exit(0));
process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  const [verb, ...rest] = words;
  if (verb === undefined || verb === '--help' || verb === 'help' || (rest.length === 1 && rest[0] === '--help')) {
    process.stdout.write(labHelp(verb === 'help' ? rest[0] : verb));
    return verb === undefined ? 2 : 0;
  }
  try {
    const request = verb === 'shell' ? undefined : await requestOf(verb, rest);
    const entry = await theOne();
    if (!request) return await shellOf(entry, rest);
    return (await ask(entry, request, (line) => process.stdout.write(`${line}\n`))) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`lab: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof RequestError ? 2 : 1;
  }
}

/** A shell prints a message when its playground ends, for any reason. */
async function shellOf(entry: Entry, command: readonly string[]): Promise<number> {
  const over = new AbortController();
  try {
    return await runShell(entry, { env: process.env, command, ended: whenGone(entry.pid, over.signal) });
  } finally {
    over.abort();
  }
}

async function requestOf(verb: string, rest: readonly string[]): Promise<Request> {
  if (verb !== 'apply') return parseRequest([verb, ...rest]);
  const [file, ...more] = rest;
  if (file === undefined || more.length > 0) throw new RequestError('apply needs a file');
  return { do: 'apply', text: await readFile(resolve(process.env['INIT_CWD'] ?? '.', file), 'utf8') };
}

/** Several playgrounds can run at once; PLAYGROUND selects one. */
async function theOne(): Promise<Entry> {
  const found = await playgrounds(process.env);
  const wanted = process.env['PLAYGROUND'];
  const [only, ...others] = wanted ? found.filter(({ pid }) => String(pid) === wanted) : found;
  if (!only) throw new Error('no playground is running: start one in another terminal with npm start');
  if (others.length === 0) return only;
  const pids = found.map(({ pid }) => pid).join(', ');
  throw new Error(`several playgrounds are running: choose one with PLAYGROUND=PID; the PIDs are ${pids}`);
}
