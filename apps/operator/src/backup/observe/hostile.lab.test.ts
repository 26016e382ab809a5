// SPDX-License-Identifier: Apache-2.0
import { customResourceDefinitions } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EtcdBackupSpec } from '../../api/etcd-backup.ts';
import { BackupLab } from '../../testing/backup-lab.ts';
import { endpointDialer } from '../act/endpoint/endpoint-dialer.ts';

let ground: BackupLab;

beforeAll(async () => {
  // The CRD of CoreOS etcd-operator does not validate.
  ground = await BackupLab.start({ startOperator: false, operator: { createCrd: false } });
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
  await ground.lab
    .client()
    .resource(customResourceDefinitions)
    .create({
      metadata: { name: 'etcdbackups.etcd.database.coreos.com' },
      spec: {
        group: 'etcd.database.coreos.com',
        names: { plural: 'etcdbackups', singular: 'etcdbackup', kind: 'EtcdBackup', listKind: 'EtcdBackupList' },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1beta2',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: open },
            subresources: { status: {} },
          },
        ],
      },
    });
  ground.startOperator();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const spec = (change: object): EtcdBackupSpec => ({
  ...ground.toS3('x', []),
  etcdEndpoints: ['http://a:1'],
  ...change,
});

describe('D2: objects that crashed CoreOS etcd-operator', () => {
  test.each([
    ['unknown-storage', { storageType: 'FTP' }, 'UnknownStorage'],
    ['missing-source', { s3: undefined }, 'SourceMissing'],
    ['negative-interval', { backupPolicy: { backupIntervalInSecond: -1 } }, 'InvalidPolicy'],
    ['negative-max', { backupPolicy: { maxBackups: -3 } }, 'InvalidPolicy'],
    ['no-endpoints', { etcdEndpoints: [] }, 'NoEndpoints'],
    ['bad-path', { s3: { path: 'nokey' } }, 'InvalidPath'],
  ])('%s is told in status, condition and event', async (name, change, reason) => {
    await ground.create(name, spec(change));
    const { succeeded, Reason, conditions } = await ground.status(name, (status) => Boolean(status.Reason));
    expect({ succeeded, Reason: typeof Reason }).toEqual({ succeeded: false, Reason: 'string' });
    expect(conditions?.find(({ type }) => type === 'Succeeded')).toMatchObject({ status: 'False', reason });
    await ground.until('event', async () => (await ground.events(name)).find((event) => event.reason === reason));
  });

  test('another backup is not held up by them, and a mended one is made', async () => {
    const member = await ground.etcd();
    await ground.create('sound', ground.toS3('sound', [member]));
    await ground.succeeded('sound');
    await ground.change('unknown-storage', ground.toS3('mended', [member]));
    expect(await ground.succeeded('unknown-storage')).toMatchObject({ Reason: '' });
    await ground.change('negative-interval', { ...ground.toS3('mended-too', [member]), backupPolicy: null });
    await ground.succeeded('negative-interval');
  });

  test('a misspelt field that CoreOS lets pass is named in a condition, also beside another problem', async () => {
    await ground.create('misspelt', spec({ storageType: 'FTP', s33: {} }));
    const { conditions } = await ground.status('misspelt', ({ Reason }) => Boolean(Reason));
    expect(conditions?.find(({ type }) => type === 'UnknownFields')).toMatchObject({
      status: 'True',
      message:
        'spec.s33 is not a field of an EtcdBackup and is ignored. Correct the name of the field, or remove the field.',
    });
  });

  test('a status full of nonsense does no harm', async () => {
    const member = await ground.etcd();
    await ground.stopOperator();
    await ground.create('nonsense', ground.toS3('nonsense', [member]));
    const nonsense = { lastSuccessDate: 'yesterday', nextAttemptDate: 'soon', lastScheduleDate: '', attempts: 1 };
    await ground.writeStatus('nonsense', nonsense);
    ground.startOperator();
    expect(await ground.succeeded('nonsense')).toMatchObject({ attempts: 0, Reason: '' });
  });
});

describe('security rule 8: endpoints of etcd', () => {
  const resolve = async (host: string) => (host === 'inward' ? ['10.0.0.1', '127.0.0.1'] : ['169.254.169.254']);
  const rules = { isShared: false, granted: [], refused: [] };
  const connect = (host: string) =>
    endpointDialer('default', ground.lab.client(), rules, { resolve })({ plainLogin: 'none' })(
      { host, port: 1 },
      AbortSignal.timeout(1_000),
    );

  test.each(['127.0.0.1', '::1', '169.254.169.254', 'inward', 'metadata'])('%s is refused', async (host) => {
    await expect(connect(host)).rejects.toThrow('is not allowed, because');
  });
});
