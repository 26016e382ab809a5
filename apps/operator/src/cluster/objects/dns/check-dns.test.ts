// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkDns } from './check-dns.ts';

const host = 'm.example.default.svc';
let folder: string;
let asked: string;

/** Programs at the front of PATH that replace the commands of the script. Names resolve from the attempt `RESOLVES_AT` on. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'check-dns-'));
  asked = join(folder, 'asked');
  program('nslookup', `echo "$1" >> ${asked}; [ "$(wc -l < ${asked})" -ge "$RESOLVES_AT" ]`);
  program('usleep', 'exit 0');
  program('sed', 'echo default.svc.cluster.local svc.cluster.local cluster.local');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, body: string): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
  chmodSync(join(folder, name), 0o755);
}

function run(options: { timeoutSeconds: number; isAbsolute: boolean; resolvesAt: number; hosts?: readonly string[] }) {
  if (existsSync(asked)) rmSync(asked);
  const { command = [] } = checkDns({ image: undefined, hosts: [host], ...options });
  const [shell = '', ...args] = command;
  const { status, stderr } = spawnSync(shell, args, {
    env: { PATH: `${folder}:${process.env['PATH'] ?? ''}`, RESOLVES_AT: String(options.resolvesAt) },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { status, stderr, names: readFileSync(asked, 'utf8').trim().split('\n') };
}

describe('[35] check-dns', () => {
  test('has the image of CoreOS etcd-operator, or the one of the spec', () => {
    const options = { hosts: [host], timeoutSeconds: 0, isAbsolute: false };
    expect(checkDns({ image: undefined, ...options }).image).toBe('busybox:1.28.0-glibc');
    expect(checkDns({ image: '', ...options }).image).toBe('busybox:1.28.0-glibc');
    expect(checkDns({ image: 'myRepo/busybox:1.3.2', ...options }).image).toBe('myRepo/busybox:1.3.2');
  });

  test('with 0 it waits as long as it takes', () => {
    const { status, names } = run({ timeoutSeconds: 0, isAbsolute: true, resolvesAt: 40 });
    expect(status).toBe(0);
    expect(names).toHaveLength(40);
  });

  test('with a limit it fails after that many seconds of asking, and says so', () => {
    const { status, stderr, names } = run({ timeoutSeconds: 2, isAbsolute: true, resolvesAt: 99 });
    expect(status).toBe(1);
    expect(stderr).toBe(`DNS did not know ${host} within 2 s\n`);
    expect(names).toHaveLength(10);
  });

  test('a name with its cluster domain is asked for as it is', () => {
    const full = `${host}.cluster.local`;
    expect(run({ hosts: [full], timeoutSeconds: 1, isAbsolute: true, resolvesAt: 1 }).names).toEqual([`${full}.`]);
  });

  test('without one every search domain is tried, because nslookup of busybox does not', () => {
    const { status, names } = run({ timeoutSeconds: 1, isAbsolute: false, resolvesAt: 3 });
    expect(status).toBe(0);
    expect(names).toEqual([
      `${host}.default.svc.cluster.local.`,
      `${host}.svc.cluster.local.`,
      `${host}.cluster.local.`,
    ]);
  });

  test('of several names one is enough, and they are asked for in their order', () => {
    const hosts = [host, 'other.example.default.svc'];
    const { status, names } = run({ hosts, timeoutSeconds: 1, isAbsolute: true, resolvesAt: 4 });
    expect(status).toBe(0);
    expect(names).toEqual([`${host}.`, 'other.example.default.svc.', `${host}.`, 'other.example.default.svc.']);
  });
});
