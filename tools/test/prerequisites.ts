// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';

/** Runs a program and returns whether it succeeded; `missing` if it does not exist. */
export type Probe = (program: string, args: readonly string[]) => Promise<'well' | 'badly' | 'missing'>;

interface Prerequisite {
  readonly program: string;
  readonly args: readonly string[];
  readonly ifMissing: string;
  readonly ifRefused: string;
}

const namespaces = ['--user', '--map-root-user', '--net', '--mount', '--pid', '--fork', 'true'];
const forLabTests = 'the tests that start real processes';

/** The lab's requirements. The first missing one is reported. */
const prerequisites: readonly Prerequisite[] = [
  {
    program: 'unshare',
    args: ['--version'],
    ifMissing: `${forLabTests} need unshare: install the package util-linux`,
    ifRefused: `${forLabTests} need unshare, which does not run here: reinstall the package util-linux`,
  },
  {
    program: 'ip',
    args: ['-V'],
    ifMissing: `${forLabTests} need ip: install the package iproute2`,
    ifRefused: `${forLabTests} need ip, which does not run here: reinstall the package iproute2`,
  },
  {
    program: 'unshare',
    args: namespaces,
    ifMissing: `${forLabTests} need unshare: install the package util-linux`,
    ifRefused:
      `${forLabTests} need user namespaces, which this machine refuses: allow them (sysctl kernel.unprivileged_userns_clone=1, ` +
      'or kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu; in a container, run it with them allowed)',
  },
];

/** The first missing requirement, as one sentence that says what to do; undefined if there is none. */
export async function missingPrerequisite(probe: Probe = runProbe): Promise<string | undefined> {
  if (process.platform !== 'linux') return `${forLabTests} need Linux: run them in a Linux machine or container`;
  for (const { program, args, ifMissing, ifRefused } of prerequisites) {
    const answer = await probe(program, args);
    if (answer !== 'well') return answer === 'missing' ? ifMissing : ifRefused;
  }
  return undefined;
}

const runProbe: Probe = (program, args) =>
  new Promise((resolve) => {
    // Administration programs are often not on an ordinary user's PATH.
    const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` };
    execFile(program, [...args], { env, timeout: 20_000 }, (error) => {
      if (!error) resolve('well');
      else resolve(error.code === 'ENOENT' ? 'missing' : 'badly');
    });
  });
