// SPDX-License-Identifier: Apache-2.0
import type { Slowness } from '../agent-calls.ts';
import { tryCommand } from '../run-command.ts';
import { RuntimeError } from '../runtime-error.ts';
import { findProgram } from '../system-tools.ts';

/** Slows what a pod receives, at the lab's end of its cable; nothing set means full speed again. */
export async function slowLink(link: string, slowness: Slowness): Promise<void> {
  const tc = findProgram('tc', process.env['PATH'] ?? '');
  if (!tc)
    throw new RuntimeError('Unsupported', 'traffic cannot be slowed here: tc not found; install iproute2 in full');
  await tryCommand(tc, ['qdisc', 'del', 'dev', link, 'root']);
  const { kilobitsPerSecond, latencyMilliseconds = 0, lossPercent = 0 } = slowness;
  if (latencyMilliseconds > 0 || lossPercent > 0) {
    const rate = kilobitsPerSecond === undefined ? [] : ['rate', `${kilobitsPerSecond}kbit`];
    const delay = latencyMilliseconds > 0 ? ['delay', `${latencyMilliseconds}ms`] : [];
    const loss = lossPercent > 0 ? ['loss', `${lossPercent}%`] : [];
    await add(tc, link, ['netem', ...delay, ...loss, ...rate]);
    return;
  }
  if (kilobitsPerSecond === undefined) return;
  await add(tc, link, ['tbf', 'rate', `${kilobitsPerSecond}kbit`, 'burst', '10kb', 'latency', '400ms']);
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
