// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { type Machine, prepareMachine } from './machine.ts';

const everything = ['nsenter', 'mount', 'ip', 'iptables', 'openssl', 'runc', '/usr/lib/cni/ptp', 'apt-get'];

interface Story {
  readonly machine: Machine;
  readonly ran: string[];
}

/** A machine with these files, on which apt-get installs the missing ones at its nth attempt. */
function machineWith(files: readonly string[], installsAt = 1): Story {
  const present = new Set(files);
  const ran: string[] = [];
  let installations = 0;
  const machine: Machine = {
    platform: 'linux',
    isRoot: true,
    has: async (file) => present.has(file),
    tryControlGroup: async () => undefined,
    run: async (argv) => {
      if (argv[0] === 'unshare') return { status: 0, stdout: '', stderr: '' };
      ran.push(argv.join(' '));
      if (argv[1] !== 'install') return { status: 0, stdout: '', stderr: '' };
      if (++installations < installsAt) return { status: 100, stdout: '', stderr: 'E: Unable to locate package runc' };
      for (const file of everything) present.add(file);
      return { status: 0, stdout: '', stderr: '' };
    },
  };
  return { machine, ran };
}

describe('a machine', () => {
  test('that has everything is left alone', async () => {
    const { machine, ran } = machineWith(everything);
    await prepareMachine(() => undefined, machine);
    expect(ran).toEqual([]);
  });

  test('gets exactly the packages that are missing, and that is said', async () => {
    const { machine, ran } = machineWith(everything.filter((file) => file !== 'runc' && file !== 'iptables'));
    const said: string[] = [];
    await prepareMachine((line) => said.push(line), machine);
    expect(ran).toEqual(['apt-get install --yes --no-install-recommends iptables runc']);
    expect(said[0]).toBe('Installing the Debian packages iptables, runc ...');
  });

  test('with old lists of packages gets new ones first', async () => {
    const { machine, ran } = machineWith(
      everything.filter((file) => file !== 'runc'),
      2,
    );
    await prepareMachine(() => undefined, machine);
    expect(ran.map((command) => command.split(' ')[1])).toEqual(['install', 'update', 'install']);
  });

  test('may have its CNI plug-ins where others than Debian keep them', async () => {
    const { machine, ran } = machineWith([...everything.filter((file) => !file.includes('cni')), '/opt/cni/bin/ptp']);
    await prepareMachine(() => undefined, machine);
    expect(ran).toEqual([]);
  });
});

describe('what cannot be had is said in one sentence', () => {
  test.each([
    [
      'root',
      { isRoot: false },
      'a real Kubernetes needs root (namespaces, mounts, control groups): run this command as root, for example with sudo -E',
    ],
    ['Linux', { platform: 'darwin' }, 'a real Kubernetes needs Linux: run this in a Linux machine'],
  ])('%s', async (_, difference, sentence) => {
    const { machine } = machineWith(everything);
    await expect(prepareMachine(() => undefined, { ...machine, ...difference })).rejects.toThrow(sentence);
  });

  test('namespaces', async () => {
    const { machine } = machineWith(everything);
    const run = async () => ({ status: 1, stdout: '', stderr: 'unshare: unshare failed: Operation not permitted\n' });
    await expect(prepareMachine(() => undefined, { ...machine, run })).rejects.toMatchObject({
      code: 'NotPossibleHere',
      message: expect.stringContaining('(unshare: unshare failed: Operation not permitted): run it in a machine'),
    });
  });

  test('control groups', async () => {
    const { machine } = machineWith(everything);
    const tryControlGroup = () => Promise.reject(new Error('EROFS: read-only file system'));
    await expect(prepareMachine(() => undefined, { ...machine, tryControlGroup })).rejects.toMatchObject({
      code: 'NotPossibleHere',
      message: expect.stringContaining('control groups that can be written'),
    });
  });

  test('packages without apt-get', async () => {
    const { machine } = machineWith(everything.filter((file) => file !== 'runc' && file !== 'apt-get'));
    await expect(prepareMachine(() => undefined, machine)).rejects.toMatchObject({
      code: 'PackageMissing',
      message: 'a real Kubernetes needs the Debian packages runc, and there is no apt-get to install them with',
    });
  });

  test('packages that apt-get cannot install', async () => {
    const { machine } = machineWith(
      everything.filter((file) => file !== 'runc'),
      9,
    );
    await expect(prepareMachine(() => undefined, machine)).rejects.toThrow(
      'could not install them: E: Unable to locate package runc',
    );
  });
});
