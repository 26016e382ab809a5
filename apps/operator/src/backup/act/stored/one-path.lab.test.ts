// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BackupLab } from '../../../testing/backup-lab.ts';
import { RewritingProxy } from '../../testing/rewriting-proxy.ts';

let ground: BackupLab;
beforeAll(async () => {
  ground = await BackupLab.start();
});
afterAll(() => ground?.[Symbol.asyncDispose]());

const isGone = (name: string) =>
  ground.until(`${name} is gone`, async () => ((await ground.get(name).catch(() => undefined)) ? undefined : true));

test('a backup at the path of another EtcdBackup is refused with words, and what is stored there stays', async () => {
  const member = await ground.etcd();
  const spec = ground.toS3('one-path', [member]);
  await ground.create('first', spec);
  await ground.succeeded('first');
  const before = await ground.read('one-path');
  await member.client().kv.put({ key: Buffer.from('a'), value: Buffer.from('b') });

  await ground.create('second', spec);
  const { conditions } = await ground.status('second', ({ Reason }) => Boolean(Reason));
  expect(conditions?.find(({ type }) => type === 'Succeeded')).toMatchObject({
    status: 'False',
    reason: 'PathOccupied',
    message: expect.stringMatching(
      /^path backups\/one-path holds the backup that EtcdBackup default\/first made at \S+\. That backup is not overwritten\. Choose another path, or delete the stored backup\.$/,
    ),
  });
  expect(await ground.read('one-path')).toEqual(before);
});

test('of two that come at once, one is made and the other refused', async () => {
  const member = await ground.etcd();
  const spec = ground.toS3('at-once', [member]);
  const names = ['left', 'right'];
  await Promise.all(names.map((name) => ground.create(name, spec)));
  const settled = await Promise.all(
    names.map((name) =>
      ground.status(name, (now) => now.succeeded === true || /not overwritten/.test(now.Reason ?? '')),
    ),
  );
  expect(settled.map(({ succeeded }) => succeeded)).toEqual(expect.arrayContaining([false, true]));
});

test('a backup to a slow store does not hold up one to the same bucket and path of another store', async () => {
  const member = await ground.etcd();
  await using slow = await RewritingProxy.start(ground.s3.port);
  slow.fault = async ({ method }, pass) => (method === 'PUT' || method === 'POST' ? 'stall' : pass());
  const spec = ground.toS3('same-name', [member]);
  await ground.create('slow', { ...spec, s3: { ...spec.s3, endpoint: slow.endpoint } });
  await ground.status('slow', ({ progress }) => progress?.object !== undefined);

  await ground.create('quick', spec);
  const { succeeded, Reason } = await ground.status('quick', (now) => now.succeeded === true || Boolean(now.Reason));
  expect({ succeeded, Reason }).toEqual({ succeeded: true, Reason: '' });
});

test('a backup that the store has not let in does not hold up those that it has', async () => {
  const member = await ground.etcd();
  await using store = await RewritingProxy.start(ground.s3.port);
  const [outsider, denied] = ['AKIAOUTSIDER', Buffer.from('<Error><Code>AccessDenied</Code></Error>')];
  let isWriting = false;
  store.fault = async ({ method, headers }, pass) => {
    if (!headers.authorization?.includes(outsider)) return pass();
    if (method !== 'PUT' && method !== 'POST') return { status: 403, headers: {}, body: denied };
    isWriting = true;
    return 'stall';
  };
  const { config = '' } = ground.awsFiles();
  const credentials = `[default]\naws_access_key_id = ${outsider}\naws_secret_access_key = wrong\n`;
  await ground.secret('outsider', { config, credentials });
  const spec = ground.toS3('kept-out', [member]);
  const s3 = { ...spec.s3, endpoint: store.endpoint };
  await ground.create('outsider', { ...spec, s3: { ...s3, awsSecret: 'outsider' } });
  await ground.until('the outsider writes', async () => isWriting || undefined);

  await ground.create('let-in', { ...spec, s3 });
  const { succeeded, Reason } = await ground.status('let-in', (now) => now.succeeded === true || Boolean(now.Reason));
  expect({ succeeded, Reason }).toEqual({ succeeded: true, Reason: '' });
});

test.each([
  ['Keep', true],
  ['Delete', false],
] as const)(
  'a finished EtcdBackup goes after its time to live; with deletionPolicy %s the data stays: %s',
  async (deletionPolicy, stays) => {
    const member = await ground.etcd();
    const [name, key] = [`ttl-${deletionPolicy.toLowerCase()}`, `ttl/${deletionPolicy}`];
    await ground.create(name, { ...ground.toS3(key, [member]), ttlSecondsAfterFinished: 1, deletionPolicy });
    await isGone(name);
    const stored = await ground.read(key).then(
      () => true,
      () => false,
    );
    expect(stored).toBe(stays);
  },
);

test('a series may have no time to live', async () => {
  const member = await ground.etcd();
  const spec = { ...ground.toS3('series', [member]), ttlSecondsAfterFinished: 1 };
  const refused = ground.create('series', { ...spec, backupPolicy: { backupIntervalInSecond: 60 } });
  await expect(refused).rejects.toThrow('ttlSecondsAfterFinished cannot be set for periodic backups');
  const negative = ground.create('negative', { ...spec, ttlSecondsAfterFinished: -1 });
  await expect(negative).rejects.toThrow('greater than or equal to 0');
});
