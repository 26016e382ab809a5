// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunResult } from '../process/run-program.ts';
import { createCgroup, removeCgroup } from './cgroups.ts';
import { ClusterError } from './cluster-error.ts';
import { runProgram, systemPath } from './run-program.ts';
import { sandboxNamespaces } from './sandbox.ts';

/** A Debian package and the file that shows that it is installed: a program on PATH, or an absolute path. */
export interface NeededPackage {
  readonly name: string;
  readonly file: string;
}

/** CNI plug-ins of the Debian package; other distributions have them in /opt/cni/bin. */
export const cniDirectories = ['/usr/lib/cni', '/opt/cni/bin'] as const;

const needed: readonly NeededPackage[] = [
  { name: 'util-linux', file: 'nsenter' },
  { name: 'mount', file: 'mount' },
  { name: 'iproute2', file: 'ip' },
  { name: 'iptables', file: 'iptables' },
  { name: 'openssl', file: 'openssl' },
  { name: 'runc', file: 'runc' },
  { name: 'containernetworking-plugins', file: '/usr/lib/cni/ptp' },
];

/** The interface to the machine; tests replace it. */
export interface Machine {
  readonly platform: string;
  readonly isRoot: boolean;
  has(file: string): Promise<boolean>;
  /** Creates a cgroup and removes it again; rejects if that is not allowed. */
  tryControlGroup(): Promise<void>;
  run(argv: readonly string[]): Promise<Pick<RunResult, 'status' | 'stdout' | 'stderr'>>;
}

/** Root in a user namespace has no real privileges: a kubelet reads the kernel's log. */
function isInUserNamespace(): boolean {
  try {
    return !/^\s*0\s+0\s+4294967295\s*$/.test(readFileSync('/proc/self/uid_map', 'utf8'));
  } catch {
    return false;
  }
}

const thisMachine: Machine = {
  platform: process.platform,
  isRoot: process.getuid?.() === 0 && !isInUserNamespace(),
  has: async (file) => {
    const places = file.startsWith('/') ? [file] : systemPath.split(':').map((folder) => join(folder, file));
    const found = await Promise.all(
      places.map((path) =>
        access(path, constants.X_OK).then(
          () => true,
          () => false,
        ),
      ),
    );
    return found.includes(true);
  },
  tryControlGroup: async () => {
    const path = `/etcd-operator-try-${process.pid}`;
    await createCgroup(path);
    await removeCgroup(path);
  },
  run: (argv) => runProgram(argv, { environment: { DEBIAN_FRONTEND: 'noninteractive' }, timeoutMilliseconds: 600_000 }),
};

/**
 * Makes sure that a real Kubernetes can run here: Linux, root with permission for namespaces and cgroups, and the
 * required Debian packages, which are installed if they are missing. Rejects with one sentence that says what to do.
 */
export async function prepareMachine(report: (line: string) => void, machine: Machine = thisMachine): Promise<void> {
  if (machine.platform !== 'linux') {
    throw new ClusterError('NotPossibleHere', 'a real Kubernetes needs Linux: run this in a Linux machine');
  }
  if (!machine.isRoot) {
    throw new ClusterError(
      'NotPossibleHere',
      'a real Kubernetes needs root (namespaces, mounts, control groups): run this command as root, for example with sudo -E',
    );
  }
  const missing = await missingPackages(machine);
  if (missing.length > 0) {
    await install(missing, report, machine);
    const still = await missingPackages(machine);
    if (still.length > 0) throw missingError(still, 'they were installed and are not there yet');
  }
  await requireRights(machine);
}

/** Root in a container may lack privileges: check this before anything is built. */
async function requireRights(machine: Machine): Promise<void> {
  const { status, stderr } = await machine.run(['unshare', ...sandboxNamespaces, 'true']);
  if (status !== 0) {
    throw new ClusterError(
      'NotPossibleHere',
      `a real Kubernetes needs namespaces of its own, which this machine refuses (${stderr.trim()}): run it in a machine of its own or a privileged container`,
    );
  }
  try {
    await machine.tryControlGroup();
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause);
    throw new ClusterError(
      'NotPossibleHere',
      `a real Kubernetes needs control groups that can be written, which this machine refuses (${words}): run it in a machine of its own or a privileged container`,
      { cause },
    );
  }
}

async function missingPackages(machine: Machine): Promise<readonly NeededPackage[]> {
  const found = await Promise.all(needed.map(({ file }) => isThere(file, machine)));
  return needed.filter((_, index) => !found[index]);
}

async function isThere(file: string, machine: Machine): Promise<boolean> {
  const name = file.split('/').at(-1) ?? file;
  const files = file.startsWith('/usr/lib/cni/') ? cniDirectories.map((folder) => join(folder, name)) : [file];
  for (const one of files) if (await machine.has(one)) return true;
  return false;
}

async function install(
  packages: readonly NeededPackage[],
  report: (line: string) => void,
  machine: Machine,
): Promise<void> {
  if (!(await machine.has('apt-get'))) throw missingError(packages, 'and there is no apt-get to install them with');
  const names = packages.map(({ name }) => name);
  report(`Installing the Debian packages ${names.join(', ')} ...`);
  const started = performance.now();
  const command = ['apt-get', 'install', '--yes', '--no-install-recommends', ...names];
  let result = await machine.run(command);
  if (result.status !== 0) {
    // A new machine has no package lists yet, or old ones with versions that no longer exist.
    report('Asking the Debian mirrors what they have (apt-get update) ...');
    await machine.run(['apt-get', 'update']);
    result = await machine.run(command);
  }
  if (result.status !== 0) {
    const words = result.stderr.trim().split('\n').at(-1) ?? '';
    throw missingError(packages, `and apt-get could not install them: ${words}`);
  }
  report(`Installed in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
}

function missingError(packages: readonly NeededPackage[], why: string): ClusterError {
  const names = packages.map(({ name }) => name).join(', ');
  return new ClusterError('PackageMissing', `a real Kubernetes needs the Debian packages ${names}, ${why}`);
}
