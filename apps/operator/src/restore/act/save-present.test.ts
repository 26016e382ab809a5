// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemberClient } from '@etcd-operator/etcd';
import { FakeMember } from '@etcd-operator/etcd/testing';
import { systemClock } from '@etcd-operator/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type OpenedStorage, openStore } from '../../storage/open-store.ts';
import { savePresent } from './save-present.ts';

let directory = '';
let opened: OpenedStorage;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'save-'));
  const request = { type: 'Directory', sources: { directory: { path: 'backup.db' } }, namespace: 'ns' };
  const readSecret = () => Promise.reject(new Error('none is needed'));
  opened = await openStore({ ...request, readSecret }, { clock: systemClock, directory });
});
afterEach(async () => {
  opened.store.close();
  await rm(directory, { recursive: true, force: true });
});

function clientOf(fake: FakeMember): MemberClient {
  const login = () => ({ name: 'root', password: 'of the backup' });
  return new MemberClient({ target: { host: 'm', port: 2379 }, clock: systemClock, dial: fake.dial, login });
}

const context = { signal: new AbortController().signal, onProgress: () => undefined };

test('rule 23: members that know other credentials than the spec names are not given up unsaved', async () => {
  const words = 'etcdserver: authentication failed, invalid user ID or password';
  using locked = clientOf(new FakeMember((call) => call.refuse(3, words)));
  using silent = clientOf(new FakeMember((call) => call.refuse(14, 'nobody is here')));
  const saved = savePresent([[silent, locked]], opened, 'ns/kept', context);
  await expect(saved).rejects.toMatchObject({
    code: 'NotSaved',
    message: expect.stringContaining('let the operator in'),
  });
});

test('of members that are silent nothing can be saved', async () => {
  using silent = clientOf(new FakeMember((call) => call.refuse(14, 'nobody is here')));
  expect(await savePresent([[silent]], opened, 'ns/kept', context)).toEqual({
    kind: 'skipped',
    why: 'no member answers',
  });
});

test('what is saved is of the last life of which a member answers, however much those before it have done', async () => {
  const asked: string[] = [];
  const answers = (life: string, raftIndex: number) =>
    new FakeMember((call) => {
      asked.push(`${life} ${call.method}`);
      if (call.method === 'Auth/Authenticate') call.refuse(9, 'etcdserver: authentication is not enabled');
      else if (call.method === 'Maintenance/Status') call.reply(Uint8Array.of(0x28, raftIndex));
      else call.refuse(14, 'cut off');
    });
  using before = clientOf(answers('before', 100));
  using last = clientOf(answers('last', 3));
  const saved = savePresent([[last], [before]], opened, 'ns/kept', context);
  await expect(saved).rejects.toMatchObject({ code: 'NotSaved' });
  expect(asked.filter((call) => call.endsWith('Snapshot'))).toEqual(['last Maintenance/Snapshot']);
});
