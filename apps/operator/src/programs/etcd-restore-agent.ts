// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { systemClock } from '@operator-parts/ports';
import { proveHere } from '../backup/prove/prove-here.ts';
import { receiveSnapshot } from '../restore/delivery/receive-snapshot.ts';
import { hasData, isOver, isReceived, removePartialFiles } from '../restore/delivery/snapshot-file.ts';
import { reportFile, reportSurvivor } from '../restore/survivor/report.ts';
import { version } from '../version.ts';
import { FlagError, parseGoFlags } from './go-flags.ts';

/**
 * Runs in an init container of the seed member of a restore: receives the snapshot from the restore operator and writes it where etcd's own
 * tool reads it. If there is data already, the agent does nothing: a pod that is restarted after a reboot of its node runs the agent again.
 * With -survivor, it copies the data of a member, from which a cluster without a quorum is recovered. With -prove, which is for test
 * restores of stored backups, it reads a received snapshot and the same data from the etcd that was started with the snapshot, and reports
 * both.
 */
const flags = {
  restore: { kind: 'string', default: '', help: 'UID of the EtcdRestore' },
  'key-file': { kind: 'string', default: '', help: 'file with the key of the restore, from its Secret' },
  file: { kind: 'string', default: '', help: 'path that the snapshot is written to' },
  'data-dir': { kind: 'string', default: '', help: "etcd's data directory" },
  survivor: {
    kind: 'string',
    default: '',
    help: 'data directory of a member to copy into -data-dir, so that the copy serves alone; the agent then does nothing else',
  },
  held: {
    kind: 'integer',
    default: -1,
    help: 'with -survivor: nothing is copied if the write-ahead log (WAL) of the member ends at this index, because a snapshot contains all its entries',
  },
  prove: {
    kind: 'string',
    default: '',
    help: 'snapshot to compare with the etcd on loopback that was restored from that snapshot; the agent then does nothing else',
  },
  'login-dir': { kind: 'string', default: '', help: 'with -prove: directory with username and password for that etcd' },
  port: { kind: 'integer', default: 19_999, help: 'port that the agent listens on' },
  version: { kind: 'boolean', default: false, help: 'print the version and exit' },
} as const;

const say = (line: string) => void process.stderr.write(`etcd-restore-agent: ${line}\n`);

async function run(signal: AbortSignal): Promise<void> {
  const given = parseGoFlags(flags, process.argv.slice(2));
  if (given.version) return void process.stdout.write(`etcd-restore-agent ${version}\n`);
  if (given.survivor !== '')
    return reportSurvivor(
      { from: given.survivor, to: given['data-dir'], ...(given.held >= 0 && { held: given.held }) },
      reportFile,
    );
  if (given.prove !== '') {
    const place = { file: given.prove, loginDirectory: given['login-dir'], reportFile, clock: systemClock, signal };
    if (!(await proveHere(place))) process.exitCode = 1;
    return;
  }
  if (await hasData(given['data-dir']))
    return say(`the data directory ${given['data-dir']} is not empty: nothing is restored`);
  if (await isOver(given['key-file'], given.file))
    return say('the restore has already finished: its snapshot is not restored a second time');
  if (await isReceived(given.file)) return say('the snapshot has already been received');
  await removePartialFiles(given.file);
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
// Open connections of other clients must not keep the agent running, because the member starts only after the agent has ended.
process.exit();
