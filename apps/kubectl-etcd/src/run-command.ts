// SPDX-License-Identifier: Apache-2.0

import { etcdBackups, version } from '@etcd-operator/operator';
import { isKubeError } from '@operator-parts/kube';
import { type Access, openAccess } from './access.ts';
import { browse } from './browse/browse.ts';
import { diff } from './browse/diff.ts';
import { listStoredAt, listStoredOf } from './browse/stored-backups.ts';
import { CliError } from './cli-error.ts';
import { type Command, type Invocation, type OutputFormat, parseCommandLine } from './command-line.ts';
import { backup } from './commands/backup.ts';
import { listBackups } from './commands/backup-list.ts';
import { doctor } from './commands/doctor.ts';
import { events } from './commands/events.ts';
import { exec, type Streams } from './commands/exec.ts';
import { list } from './commands/list.ts';
import { followLogs, logs } from './commands/logs.ts';
import { members } from './commands/members.ts';
import { moveLeader } from './commands/move-leader.ts';
import { operators } from './commands/operators.ts';
import { pause } from './commands/pause.ts';
import { plan } from './commands/plan.ts';
import { report as bundle } from './commands/report.ts';
import { recover } from './commands/restore/recover.ts';
import { restore } from './commands/restore/restore.ts';
import { status } from './commands/status.ts';
import { watchStatus } from './commands/watch-status.ts';
import { completionOf, completionText, optionsIn } from './completion.ts';
import { findClusters } from './find-clusters.ts';
import { plainText } from './render/plain-text.ts';
import { print, type Report } from './render/print.ts';

/** What the program uses of the machine. */
export interface ProcessIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Bytes are those of the program that `exec` runs. */
  readonly out: (written: string | Uint8Array) => void;
  readonly err: (written: string | Uint8Array) => void;
  /** `-` is standard input. */
  readonly readFile: (file: string) => Promise<string>;
  /** @default empty */
  readonly stdin?: AsyncIterable<Uint8Array>;
}

/** Runs one command line and resolves with the exit status. Never rejects. */
export async function runCommand(args: readonly string[], io: ProcessIo, signal: AbortSignal): Promise<number> {
  try {
    if (args[0] === '__complete') return await complete(args.slice(1), io, signal);
    const invocation = parseCommandLine(args);
    const { command } = invocation;
    if (command.kind !== 'about' && command.kind !== 'help') return await answer(command, invocation, io, signal);
    io.out(command.kind === 'help' ? command.text : `kubectl-etcd ${version}\n`);
    return 0;
  } catch (error) {
    io.err(`error: ${plainText(describe(error))}\n`);
    return isMendable(error) ? 2 : 1;
  }
}

/** For `kubectl_complete-etcd`, which kubectl runs for the Tab key. */
async function complete(line: readonly string[], io: ProcessIo, signal: AbortSignal): Promise<number> {
  const found = completionOf(line);
  switch (found.kind) {
    case 'words':
      io.out(completionText(found.words));
      return 0;
    case 'files':
      io.out(completionText([], true));
      return 0;
    case 'clusters': {
      // Completion prints no messages.
      const names = await namesIn(clusterNames, line, io, signal).catch(() => []);
      io.out(completionText(names.filter((name) => name.startsWith(found.prefix))));
      return 0;
    }
    case 'backups': {
      const names = await namesIn(backupNames, line, io, signal).catch(() => []);
      io.out(completionText([...names, ...found.words].filter((name) => name.startsWith(found.prefix))));
      return 0;
    }
  }
}

/** Only the options for the kubeconfig and the namespace are used. */
async function namesIn(
  read: (access: Access) => Promise<readonly string[]>,
  line: readonly string[],
  io: ProcessIo,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const access = await openAccess(parseCommandLine(['list', ...optionsIn(line)]), io, signal);
  try {
    return await read(access);
  } finally {
    await access.transport.close();
  }
}

async function clusterNames(access: Access): Promise<readonly string[]> {
  return (await findClusters(access, { allNamespaces: false })).map(({ metadata }) => metadata?.name ?? '');
}

async function backupNames({ client, namespace, signal }: Access): Promise<readonly string[]> {
  const { items } = await client.resource(etcdBackups.resource).list({ namespace, signal });
  return items.map(({ metadata }) => metadata?.name ?? '').toSorted();
}

type ClusterCommand = Exclude<Command, { kind: 'about' | 'help' }>;

async function answer(
  command: ClusterCommand,
  invocation: Invocation,
  io: ProcessIo,
  signal: AbortSignal,
): Promise<number> {
  const access = await openAccess(invocation, io, signal);
  try {
    if (command.kind === 'plan') {
      const { report, isGood } = await plan(access, command, io.readFile);
      io.out(print(report, invocation.output));
      return isGood ? 0 : 3;
    }
    if (isStream(command)) return await stream(command, invocation.output, access, io);
    const report = await reportOf(command, access);
    io.out(print(report, invocation.output));
    if (report.failure === undefined) return 0;
    io.err(`error: ${plainText(report.failure)}\n`);
    return 1;
  } finally {
    await access.transport.close();
  }
}

type Stream = Extract<ClusterCommand, { kind: 'exec' | 'status' | 'logs' } | { action: 'browse' | 'diff' }>;

/** What writes as it goes, and may not end by itself. */
function isStream(command: ClusterCommand): command is Stream {
  if (command.kind === 'status') return command.watch;
  if (command.kind === 'logs') return command.follow;
  if (command.kind === 'backup') return command.action === 'browse' || command.action === 'diff';
  return command.kind === 'exec';
}

/** Resolves with the exit status. */
async function stream(command: Stream, format: OutputFormat, access: Access, io: ProcessIo): Promise<number> {
  switch (command.kind) {
    case 'exec':
      return exec(access, command, streamsOf(io, command.stdin));
    case 'status':
      await watchStatus(access, () => status(access, command.cluster), format, io.out);
      return 0;
    case 'logs':
      await followLogs(access, command, format, io.out);
      return 0;
    case 'backup':
      if (command.action === 'diff') return (await diff(access, command, { format, ...io })) ? 3 : 0;
      await browse(access, command, { format, ...io });
      return 0;
  }
}

function streamsOf({ out, err, stdin }: ProcessIo, isWanted: boolean): Streams {
  return { out, err, ...(isWanted && { stdin }) };
}

type Reported = Exclude<ClusterCommand, { kind: 'plan' | 'exec' } | { action: 'browse' | 'diff' }>;

function reportOf(command: Reported, access: Access): Promise<Report> {
  switch (command.kind) {
    case 'list':
      return list(access, command);
    case 'doctor':
      return doctor(access, command);
    case 'events':
      return events(access, command.cluster);
    case 'logs':
      return logs(access, command);
    case 'pause':
    case 'resume':
      return pause(access, command.cluster, command.kind === 'pause');
    case 'report':
      return bundle(access, command);
    case 'status':
      return status(access, command.cluster);
    case 'operators':
      return operators(access);
    case 'members':
      return members(access, command.cluster);
    case 'move-leader':
      return moveLeader(access, command);
    case 'backup':
      return backupReport(command, access);
    case 'restore':
      return restore(access, command);
    case 'recover':
      return recover(access, command);
  }
}

function backupReport(command: Extract<Reported, { kind: 'backup' }>, access: Access): Promise<Report> {
  switch (command.action) {
    case 'list':
      return listBackups(access, command);
    case 'listStored':
      return command.store ? listStoredAt(access, command.store, command) : listStoredOf(access, command);
    case 'create':
      return backup(access, command);
  }
}

function describe(error: unknown): string {
  if (isKubeError(error, 'Forbidden'))
    return `${error.message} (ask your administrator for this permission, or choose another context with --context)`;
  if (isKubeError(error, 'Unauthorized'))
    return `${error.message} (log in again, or choose another context with --context)`;
  if (isKubeError(error, 'ConnectionRefused', 'ConnectionLost', 'Timeout'))
    return `${error.message} (check that the API server runs and that the context is the right one)`;
  return error instanceof Error ? error.message : String(error);
}

/** Errors that the user can fix by changing the command. */
function isMendable(error: unknown): boolean {
  if (error instanceof CliError)
    return error.code === 'Usage' || error.code === 'BadFile' || error.code === 'Ambiguous';
  return isKubeError(error, 'Configuration');
}
