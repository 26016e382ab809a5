// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { receiveSnapshot } from '../restore/delivery/receive.ts';
import { hasData, isOver, isReceived, removeRemains } from '../restore/delivery/received.ts';
import { version } from '../version.ts';
import { FlagError, parseGoFlags } from './go-flags.ts';

/**
 * Runs in an init container of the member that a restore begins with: takes the snapshot from the restore operator and puts
 * it where etcd's own tool finds it. Where there is data already, it has nothing to do: a pod that starts again after a
 * reboot passes through here too.
 */
const flags = {
  restore: { kind: 'string', default: '', help: 'UID of the EtcdRestore' },
  'key-file': { kind: 'string', default: '', help: 'the key from the Secret of the restore' },
  file: { kind: 'string', default: '', help: 'where the snapshot goes' },
  'data-dir': { kind: 'string', default: '', help: "etcd's data directory" },
  port: { kind: 'integer', default: 19_999, help: 'where it is waited for' },
  version: { kind: 'boolean', default: false, help: 'print the version and exit' },
} as const;

const say = (line: string) => void process.stderr.write(`etcd-restore-agent: ${line}\n`);

async function run(signal: AbortSignal): Promise<void> {
  const given = parseGoFlags(flags, process.argv.slice(2));
  if (given.version) return void process.stdout.write(`etcd-restore-agent ${version}\n`);
  if (await hasData(given['data-dir'])) return say(`${given['data-dir']} is not empty: nothing is restored`);
  if (await isOver(given['key-file'], given.file))
    return say('the restore is over: lost data is not made from it again');
  if (await isReceived(given.file)) return say('the snapshot is there');
  await removeRemains(given.file);
  const key = Buffer.from((await readFile(given['key-file'], 'utf8')).trim(), 'hex');
  await receiveSnapshot({ uid: given.restore, key, file: given.file, port: given.port, signal, say });
}

const stop = new AbortController();
process.on('SIGTERM', () => stop.abort(new Error('received SIGTERM')));
try {
  await run(stop.signal);
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof FlagError ? 2 : 1;
}
// Others may hold connections open that lead nowhere: they do not keep the member waiting.
process.exit();
