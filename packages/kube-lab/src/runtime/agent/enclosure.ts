// SPDX-License-Identifier: Apache-2.0
import { mkdir, writeFile } from 'node:fs/promises';
import { runCommand } from '../run-command.ts';
import type { SystemTools } from '../system-tools.ts';

/** First steps inside the enclosing namespace: a `/run` of its own (where `ip netns` keeps its files), and routing. */
export async function furnish(tools: SystemTools): Promise<void> {
  await runCommand(tools.mount, ['-t', 'tmpfs', 'tmpfs', '/run']);
  await mkdir('/run/netns');
  await writeFile('/proc/sys/net/ipv4/ip_forward', '1');
}
