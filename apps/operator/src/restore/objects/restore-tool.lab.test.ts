// SPDX-License-Identifier: Apache-2.0
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EtcdLab, type EtcdProcess, WatchingClient } from '@operator-parts/etcd/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { desiredOf } from '../../cluster/desired.ts';
import { openStore } from '../../storage/open-store.ts';
import { etcdTool } from '../../testing/etcd-tools.ts';
import type { SourceFacts } from '../observation.ts';
import { bumpForTool } from '../plan/fit.ts';
import { verifySource } from '../source/verify-source.ts';
import { restoreContainer, restoreSwitch, seedPod } from './seed-pod.ts';

/**
 * Runs the restore tool of every minor version as the seed's pod runs it, on stores from which etcd has removed all compacted deletions.
 */
let lab: EtcdLab;
const stores = new Map<string, SourceFacts>();
beforeAll(async () => {
  lab = await EtcdLab.open();
  await mkdir(join(lab.directory, 'default'));
  const member = await (await lab.member()).start({ version: '3.3' });
  const client = member.client();
  const text = (value: string) => Buffer.from(value);
  for (const key of ['a', 'b', 'b']) await client.kv.put({ key: text(key), value: text('value') });
  for (const [path, key] of [
    ['one-left.db', 'b'],
    ['none-left.db', 'a'],
  ] as const) {
    const { header } = await client.kv.deleteRange({ key: text(key) });
    await client.kv.compact({ revision: header.revision, physical: true });
    await pipeline(Readable.from(client.maintenance.snapshot()), createWriteStream(file(path)));
    stores.set(path, await verify(path));
  }
  await member.stop();
});
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
});

const file = (path: string) => join(lab.directory, 'default', path);

async function verify(path: string): Promise<SourceFacts> {
  const readSecret = async () => undefined;
  const request = { type: 'Directory', sources: { directory: { path } }, namespace: 'default', readSecret };
  const opened = await openStore(request, { directory: lab.directory });
  try {
    const context = { signal: new AbortController().signal, onProgress: () => undefined };
    return await verifySource({ ...opened, keys: undefined }, { acceptWithoutHash: false }, context);
  } finally {
    opened.store.close();
  }
}

interface Run {
  readonly version: string;
  readonly path: string;
  readonly bump: number;
  readonly switchedTo: string;
}

/** Runs the pod's command with other paths. */
async function restore(member: EtcdProcess, { version, path, bump, switchedTo }: Run): Promise<string> {
  const spec = { size: 1, version };
  const desired = desiredOf('c', spec);
  const source = stores.get(path);
  if ('problems' in desired || !source) throw new Error('unexpected');
  const cluster = { name: 'c', namespace: 'default', uid: 'u' };
  const tlsKeys = { peer: 'own', server: 'own', client: 'own' } as const;
  const pod = seedPod(
    { cluster, desired, spec, name: member.name, incarnation: 2, tlsKeys },
    {
      restoreUid: 'r',
      secretName: 's',
      agent: { image: 'operator', namespace: 'default', pullSecrets: [] },
      revisionBump: bumpForTool(source, bump, 0),
    },
  );
  const [, ...args] = pod.spec?.initContainers?.find(({ name }) => name === restoreContainer)?.command ?? [];
  const local = args.map((arg) =>
    arg
      .replace('/var/restore/snapshot.db', file(path))
      .replace('/var/etcd/data', join(lab.directory, member.name))
      // The address that the pod's hosts file gives to tools.
      .replaceAll(pod.spec?.hostAliases?.[0]?.hostnames?.[0] ?? 'nothing', '127.0.0.1')
      .replace('$(RESTORE_SWITCH)', switchedTo),
  );
  return etcdTool(partOf(version), local);
}

/** The name of the part for this version: parts are named by minor version, except for a second version of 3.4. */
function partOf(version: string): string {
  return version === '3.4.31' ? version : version.split('.', 2).join('.');
}

/** Every file of a data directory with its bytes. */
async function contents(member: EtcdProcess): Promise<ReadonlyMap<string, string>> {
  const root = join(lab.directory, member.name);
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return new Map(await Promise.all(files.map(async (file) => [file, await readFile(file, 'hex')] as const)));
}

describe.each([
  ['3.3.25', false],
  ['3.4.23', false],
  ['3.4.31', true],
  ['3.5.35', true],
  ['3.6.16', true],
  ['3.7.3', true],
])('the tool of %s', (version, bumps) => {
  test.each([
    ['one-left.db', 1],
    ['none-left.db', 1_000],
  ])('raises the revision of %s by %i, as was asked for, if it can', async (path, bump) => {
    const source = stores.get(path);
    expect(source?.newestEntry).toBeLessThan(source?.revision ?? 0);
    const member = await lab.member();
    await restore(member, { version, path, bump, switchedTo: restoreSwitch.on });
    await member.start({ version: partOf(version) });
    const { revision } = await member.client().maintenance.status();
    expect(revision).toBe(BigInt((source?.revision ?? 0) + (bumps ? bump : 0)));
    member.closeClients();
    await member.stop('SIGKILL');
  });

  test(`[94] ${bumps ? 'tells a client that goes on watching of a compaction' : 'lets a client go on as if nothing had been'}`, async () => {
    const member = await lab.member();
    await restore(member, { version, path: 'one-left.db', bump: 1_000, switchedTo: restoreSwitch.on });
    await member.start({ version: partOf(version) });
    const next = BigInt((stores.get('one-left.db')?.revision ?? 0) + 1);
    using watching = new WatchingClient(async () => member.client(), 'a', next);
    await member.client().kv.put({ key: Buffer.from('a'), value: Buffer.from('after the restore') });
    await expect.poll(() => watching.seen).toEqual([bumps ? 'compacted' : 'after the restore']);
    member.closeClients();
    await member.stop('SIGKILL');
  });

  test('fault 8, operator rule 4: leaves existing data alone, with or without bootstrap configuration', async () => {
    const run = { version, path: 'one-left.db', bump: 1_000, switchedTo: restoreSwitch.on };
    const member = await lab.member();
    await restore(member, run);
    const before = await contents(member);
    await expect(restore(member, { ...run, path: 'none-left.db' })).rejects.toThrow(/exists|not empty/);
    await restore(member, { ...run, switchedTo: restoreSwitch.done });
    expect(await contents(member)).toEqual(before);
  });

  test('fault 8, operator rule 4: makes nothing where data was lost, once it is turned off', async () => {
    const member = await lab.member();
    const off = { version, path: 'one-left.db', bump: 1_000, switchedTo: restoreSwitch.done };
    await restore(member, off);
    await expect(readdir(join(lab.directory, member.name))).rejects.toThrow('ENOENT');
    // As after the agent has deleted the snapshot: there is no file to restore.
    const gone = { ...off, path: 'gone.db', switchedTo: restoreSwitch.on };
    stores.set('gone.db', await verify('one-left.db'));
    await expect(restore(member, gone)).rejects.toThrow('gone.db');
    await expect(readdir(join(lab.directory, member.name, 'member', 'wal'))).rejects.toThrow('ENOENT');
  });
});
