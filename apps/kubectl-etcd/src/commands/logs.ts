// SPDX-License-Identifier: Apache-2.0
import { isKubeError, podLogLines } from '@operator-parts/kube';
import { type Access, findCluster } from '../access.ts';
import { CliError } from '../cli-error.ts';
import type { OutputFormat } from '../command-line.ts';
import { memberPods } from '../member-pods.ts';
import { plainText } from '../render/plain-text.ts';
import type { Report } from '../render/print.ts';

export interface LogsAsked {
  readonly cluster: string | undefined;
  readonly member: string | undefined;
  readonly follow: boolean;
  /** For each member. */
  readonly tail: number;
  readonly previous: boolean;
}

interface Line {
  readonly member: string;
  readonly line: string;
}

/** The last lines of the logs of members, each prefixed with the name of its member. */
export async function logs(access: Access, asked: LogsAsked): Promise<Report> {
  const members = await namesOf(access, asked);
  const all = (await Promise.all(members.map((member) => linesOf(access, member, asked)))).flat();
  return { data: all, lines: () => all.map((line) => shown(line, asked)) };
}

/** The same, and new lines until it is interrupted; in JSON an object per line. */
export async function followLogs(
  access: Access,
  asked: LogsAsked,
  format: OutputFormat,
  out: (text: string) => void,
): Promise<void> {
  const tell = (line: Line) => out(`${format === 'json' ? JSON.stringify(line) : plainText(shown(line, asked))}\n`);
  const members = await namesOf(access, asked);
  await Promise.all(members.map((member) => followed(access, member, asked, tell)));
}

function shown({ member, line }: Line, asked: LogsAsked): string {
  return asked.member === undefined ? `${member}  ${line}` : line;
}

async function namesOf(access: Access, asked: LogsAsked): Promise<readonly string[]> {
  const { member } = asked;
  const cluster = (await findCluster(access, asked.cluster)).metadata?.name ?? '';
  const names = (await memberPods(access, cluster)).map(({ metadata }) => metadata?.name ?? '').sort();
  if (member === undefined && names.length > 0) return names;
  if (member !== undefined && names.includes(member)) return [member];
  const there = names.length === 0 ? 'has no pods that you may read' : `has the members ${names.join(', ')}`;
  throw new CliError(
    'NotFound',
    member === undefined
      ? `EtcdCluster ${cluster} ${there}`
      : `${member} is not a member: EtcdCluster ${cluster} ${there}`,
  );
}

async function followed(access: Access, member: string, asked: LogsAsked, tell: (line: Line) => void): Promise<void> {
  try {
    for await (const line of open(access, member, asked)) tell({ member, line });
  } catch (error) {
    if (!access.signal.aborted) throw error;
  }
}

async function linesOf(access: Access, member: string, asked: LogsAsked): Promise<readonly Line[]> {
  const found: Line[] = [];
  try {
    for await (const line of open(access, member, asked)) found.push({ member, line });
  } catch (error) {
    // A member that has not started, or has not restarted, has no log; the others are still shown.
    if (!isKubeError(error, 'BadRequest', 'NotFound') || asked.member !== undefined) throw error;
    found.push({ member, line: `(no log: ${error.message})` });
  }
  // Lines that a member writes during the command are added.
  return found.slice(-asked.tail);
}

function open({ transport, namespace, signal }: Access, name: string, { tail, previous, follow }: LogsAsked) {
  const options = { container: 'etcd', tailLines: tail, ...(previous && { previous }), ...(follow && { follow }) };
  return podLogLines(transport, { namespace, name }, { ...options, signal });
}
