// SPDX-License-Identifier: Apache-2.0
import { platform } from 'node:os';
import { tryCommand } from './run-command.ts';
import { RuntimeError } from './runtime-error.ts';
import { findSystemTools, type SystemTools } from './system-tools.ts';

/** The result of the checks. */
export interface Prerequisites {
  readonly tools: SystemTools;
  /** `unshare` flags for the lab's namespaces. Where user namespaces are forbidden, root does without one. */
  readonly enclosing: readonly string[];
}

const withUserNamespace = ['-Ur', '-nmpf'];
const asRoot = ['-nmpf'];

/**
 * Checks once, with a real mount in a real namespace, that pods can run here; otherwise fails with one sentence and the
 * solutions.
 */
export async function checkPrerequisites(): Promise<Prerequisites> {
  if (platform() !== 'linux') {
    throw new RuntimeError(
      'Unsupported',
      `kube-lab runs pods on Linux only, not on ${platform()}; the API server alone works everywhere (start the lab without nodes)`,
    );
  }
  const tools = findSystemTools();
  const attempts = process.getuid?.() === 0 ? [withUserNamespace, asRoot] : [withUserNamespace];
  const words: string[] = [];
  for (const enclosing of attempts) {
    const { exitCode, stderr } = await tryCommand(tools.unshare, [
      ...enclosing,
      '--propagation=private',
      tools.mount,
      ...['-t', 'tmpfs', 'tmpfs', '/tmp'],
    ]);
    if (exitCode === 0) return { tools, enclosing };
    words.push(stderr.trim());
  }
  throw new RuntimeError(
    'Unsupported',
    `kube-lab cannot run pods here: the system refuses user namespaces (${words[0] ?? 'no reason given'}); allow them with ` +
      'sysctl user.max_user_namespaces=15000, kernel.unprivileged_userns_clone=1 (Debian) or ' +
      'kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), or run as root outside a container, or start the lab without nodes',
  );
}
