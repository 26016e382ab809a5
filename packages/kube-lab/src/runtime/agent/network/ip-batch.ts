// SPDX-License-Identifier: Apache-2.0
import type { IpFamily } from '../../../network/addresses.ts';
import { runCommand } from '../../run-command.ts';
import type { SystemTools } from '../../system-tools.ts';

/** `ip` commands, one per line, in one call. Rules and routes have the given family. */
export async function ipBatch(
  tools: SystemTools,
  lines: readonly string[],
  { family, namespace }: { readonly family?: IpFamily; readonly namespace?: string } = {},
): Promise<void> {
  if (lines.length === 0) return;
  const options = [...(namespace ? ['-n', namespace] : []), ...(family === 'IPv6' ? ['-6'] : [])];
  await runCommand(tools.ip, [...options, '-batch', '-'], `${lines.join('\n')}\n`);
}
