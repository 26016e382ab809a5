// SPDX-License-Identifier: Apache-2.0
/** `npm run lab -- COMMAND`: does something to the playground that runs in another terminal. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ask } from './control/control-client.ts';
import { type Entry, playgrounds } from './control/registry.ts';
import { labUsage, parseRequest, type Request, RequestError } from './control/request.ts';
import { runShell } from './shell.ts';

// `npm run lab -- events | head` ends quietly.
process.stdout.on('error', () => process.exit(0));
process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  const [verb, ...rest] = words;
  if (verb === undefined || verb === '--help' || verb === 'help') {
    process.stdout.write(labUsage);
    return verb === undefined ? 2 : 0;
  }
  try {
    const request = verb === 'shell' ? undefined : await requestOf(verb, rest);
    const entry = await theOne();
    if (!request) return await runShell(entry, process.env, rest);
    return (await ask(entry, request, (line) => process.stdout.write(`${line}\n`))) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`lab: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof RequestError ? 2 : 1;
  }
}

async function requestOf(verb: string, rest: readonly string[]): Promise<Request> {
  if (verb !== 'apply') return parseRequest([verb, ...rest]);
  const [file, ...more] = rest;
  if (file === undefined || more.length > 0) throw new RequestError('apply takes a file');
  return { do: 'apply', text: await readFile(resolve(process.env['INIT_CWD'] ?? '.', file), 'utf8') };
}

/** Several can run at once; PLAYGROUND says which is meant. */
async function theOne(): Promise<Entry> {
  const found = await playgrounds(process.env);
  const wanted = process.env['PLAYGROUND'];
  const [only, ...others] = wanted ? found.filter(({ pid }) => String(pid) === wanted) : found;
  if (!only) throw new Error('no playground runs: start one in another terminal with npm start');
  if (others.length === 0) return only;
  const pids = found.map(({ pid }) => pid).join(', ');
  throw new Error(`several playgrounds run: say which is meant by PLAYGROUND=PID, one of ${pids}`);
}
