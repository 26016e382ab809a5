// SPDX-License-Identifier: Apache-2.0
import { isKubeError } from '@etcd-operator/kube';
import { version } from '@etcd-operator/operator';
import { type Access, openAccess } from './access.ts';
import { CliError } from './cli-error.ts';
import { type Command, type Invocation, parseCommandLine, usage } from './command-line.ts';
import { backup } from './commands/backup.ts';
import { members } from './commands/members.ts';
import { moveLeader } from './commands/move-leader.ts';
import { plan } from './commands/plan.ts';
import { restore } from './commands/restore.ts';
import { status } from './commands/status.ts';
import { print, type Report } from './render/print.ts';

/** What the program touches of the machine. */
export interface Surface {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** `-` is standard input. */
  readonly readFile: (file: string) => Promise<string>;
}

/** Runs one command line and resolves with the exit status. Never throws. */
export async function runCommand(args: readonly string[], surface: Surface, signal: AbortSignal): Promise<number> {
  try {
    const invocation = parseCommandLine(args);
    const { command } = invocation;
    if (command.kind !== 'about') return await answer(command, invocation, surface, signal);
    surface.out(command.what === 'usage' ? usage : `kubectl-etcd ${version}\n`);
    return 0;
  } catch (error) {
    surface.err(`error: ${describe(error)}\n`);
    return isMendable(error) ? 2 : 1;
  }
}

type ClusterCommand = Exclude<Command, { kind: 'about' }>;

async function answer(
  command: ClusterCommand,
  invocation: Invocation,
  surface: Surface,
  signal: AbortSignal,
): Promise<number> {
  const access = await openAccess(invocation, surface.env, signal);
  try {
    if (command.kind === 'plan') {
      const { report, isGood } = await plan(access, command, surface.readFile);
      surface.out(print(report, invocation.output));
      return isGood ? 0 : 3;
    }
    surface.out(print(await reportOf(command, access), invocation.output));
    return 0;
  } finally {
    await access.transport.close();
  }
}

function reportOf(command: Exclude<ClusterCommand, { kind: 'plan' }>, access: Access): Promise<Report> {
  switch (command.kind) {
    case 'status':
      return status(access, command.cluster);
    case 'members':
      return members(access, command.cluster);
    case 'move-leader':
      return moveLeader(access, command);
    case 'backup':
      return backup(access, command);
    case 'restore':
      return restore(access, command);
  }
}

function describe(error: unknown): string {
  if (isKubeError(error, 'Forbidden')) return `${error.message} (ask for the right, or use another context)`;
  if (isKubeError(error, 'Unauthorized')) return `${error.message} (log in again, or use another context)`;
  if (isKubeError(error, 'ConnectionRefused', 'ConnectionLost', 'Timeout'))
    return `${error.message} (is the API server up, and is the context the right one?)`;
  return error instanceof Error ? error.message : String(error);
}

/** What the person who typed the command can mend by typing another. */
function isMendable(error: unknown): boolean {
  if (error instanceof CliError)
    return error.code === 'Usage' || error.code === 'BadFile' || error.code === 'Ambiguous';
  return isKubeError(error, 'Configuration');
}
