// SPDX-License-Identifier: Apache-2.0
import { isKubeError, podLogLines } from '@etcd-operator/kube';
import { type Access, findCluster } from '../access.ts';
import { CliError } from '../cli-error.ts';
import { memberPods } from '../member-pods.ts';
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

/**
 * The logs of members, each line prefixed with the name of its member. With `follow`, new lines are printed until it is
 * interrupted.
 */
export async function logs(access: Access, asked: LogsAsked, out: (text: string) => void): Promise<Report> {
  const cluster = await findCluster(access, asked.cluster);
  const members = await namesOf(access, cluster.metadata?.name ?? '', asked.member);
  const show = ({ member, line }: Line) => (asked.member === undefined ? `${member}  ${line}` : line);
  if (asked.follow) {
    await Promise.all(members.map((member) => followed(access, member, asked, (line) => out(`${show(line)}\n`))));
    return { data: [], lines: () => [] };
  }
  const read = await Promise.all(members.map((member) => linesOf(access, member, asked)));
  const all = read.flat();
  return { data: all, lines: () => all.map(show) };
}

async function namesOf(access: Access, cluster: string, member: string | undefined): Promise<readonly string[]> {
  const names = (await memberPods(access, cluster)).map(({ metadata }) => metadata?.name ?? '').sort();
  if (member === undefined && names.length > 0) return names;
  if (member !== undefined && names.includes(member)) return [member];
  const there = names.length === 0 ? 'has no pods that you may read' : `has the members ${names.join(', ')}`;
  throw new CliError(
    'NotFound',
    member === undefined
      ? `EtcdCluster ${cluster} ${there}`
      : `${member} is no member: EtcdCluster ${cluster} ${there}`,
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
