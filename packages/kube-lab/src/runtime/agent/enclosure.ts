// SPDX-License-Identifier: Apache-2.0
import { mkdir, writeFile } from 'node:fs/promises';
import type { IpFamily } from '../../network/addresses.ts';
import { runCommand } from '../run-command.ts';
import type { SystemTools } from '../system-tools.ts';

const forwarding = { IPv4: '/proc/sys/net/ipv4/ip_forward', IPv6: '/proc/sys/net/ipv6/conf/all/forwarding' } as const;

/** First steps inside the lab's namespaces: a private `/run` (where `ip netns` keeps its files), and routing. */
export async function furnish(tools: SystemTools, families: readonly IpFamily[]): Promise<void> {
  await runCommand(tools.mount, ['-t', 'tmpfs', 'tmpfs', '/run']);
  await mkdir('/run/netns');
  for (const family of families) await writeFile(forwarding[family], '1');
}
