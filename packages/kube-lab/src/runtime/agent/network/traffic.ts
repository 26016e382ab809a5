// SPDX-License-Identifier: Apache-2.0
import type { Slowness } from '../../agent-calls.ts';
import { tryCommand } from '../../run-command.ts';
import { RuntimeError } from '../../runtime-error.ts';
import { findProgram } from '../../system-tools.ts';

/**
 * Slows the incoming traffic of a pod, at the lab's end of its veth pair. Without settings, full speed is restored.
 * Resolves with the latency, in milliseconds, that the kernel does not support and that a relay must add.
 */
export async function slowLink(link: string, slowness: Slowness): Promise<number> {
  const tc = findProgram('tc', process.env['PATH'] ?? '');
  const { kilobitsPerSecond, latencyMilliseconds = 0, lossPercent = 0 } = slowness;
  if (tc) await tryCommand(tc, ['qdisc', 'del', 'dev', link, 'root']);
  if (latencyMilliseconds > 0 || lossPercent > 0) {
    const isDone = tc !== undefined && (await tryNetem(tc, link, slowness));
    if (isDone) return 0;
    if (lossPercent > 0) {
      throw new RuntimeError(
        'Unsupported',
        'packets cannot be lost here: the kernel lacks netem; load the module sch_netem on the host',
      );
    }
  }
  if (kilobitsPerSecond === undefined) return latencyMilliseconds;
  if (!tc)
    throw new RuntimeError('Unsupported', 'traffic cannot be limited here: tc not found; install iproute2 in full');
  await add(tc, link, ['tbf', 'rate', `${kilobitsPerSecond}kbit`, 'burst', '10kb', 'latency', '400ms']);
  return latencyMilliseconds;
}

async function tryNetem(tc: string, link: string, slowness: Slowness): Promise<boolean> {
  const { kilobitsPerSecond, latencyMilliseconds = 0, lossPercent = 0 } = slowness;
  const rate = kilobitsPerSecond === undefined ? [] : ['rate', `${kilobitsPerSecond}kbit`];
  const delay = latencyMilliseconds > 0 ? ['delay', `${latencyMilliseconds}ms`] : [];
  const loss = lossPercent > 0 ? ['loss', `${lossPercent}%`] : [];
  const args = ['qdisc', 'add', 'dev', link, 'root', 'netem', ...delay, ...loss, ...rate];
  return (await tryCommand(tc, args)).exitCode === 0;
}

async function add(tc: string, link: string, discipline: readonly string[]): Promise<void> {
  const { exitCode, stderr } = await tryCommand(tc, ['qdisc', 'add', 'dev', link, 'root', ...discipline]);
  if (exitCode === 0) return;
  const module = `sch_${discipline[0]}`;
  throw new RuntimeError(
    'Unsupported',
    `the kernel cannot slow traffic this way (${stderr.trim()}): it needs the module ${module} (modprobe ${module} on the host)`,
  );
}
