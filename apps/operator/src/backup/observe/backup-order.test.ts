// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EtcdBackup, EtcdBackupSpec } from '../../api/etcd-backup.ts';
import { orderOf } from './backup-order.ts';
import { parseEndpoint } from './etcd-endpoint.ts';

const good: EtcdBackupSpec = {
  etcdEndpoints: ['http://example-client:2379'],
  storageType: 'S3',
  s3: { path: 'bucket/key' },
};
const backup = (spec: unknown) => ({ metadata: { name: 'b', namespace: 'ns' }, spec }) as EtcdBackup;
const read = (spec: unknown) => orderOf(backup(spec));

describe('what an EtcdBackup asks for', () => {
  test('[78] a backup may take 60 s unless it says otherwise', () => {
    for (const seconds of [undefined, 0, -5]) {
      const policy = seconds === undefined ? {} : { backupPolicy: { timeoutInSecond: seconds } };
      expect(read({ ...good, ...policy })).toMatchObject({ order: { timeoutMs: 60_000 } });
    }
    expect(read({ ...good, backupPolicy: { timeoutInSecond: 5 } })).toMatchObject({ order: { timeoutMs: 5_000 } });
  });

  test('a cluster that is named stands for its members', () => {
    const { etcdEndpoints: _, ...store } = good;
    expect(read({ ...store, clusterRef: { name: 'c' } })).toMatchObject({ order: { cluster: 'c', endpoints: [] } });
  });

  test.each([
    [{}, { kind: 'once' }],
    [{ backupPolicy: null }, { kind: 'once' }],
    [{ backupPolicy: { backupIntervalInSecond: 0 } }, { kind: 'once' }],
    [{ backupPolicy: { backupIntervalInSecond: 125, maxBackups: 4 } }, { kind: 'interval', milliseconds: 125_000 }],
    [{ backupPolicy: { schedule: '@daily' } }, { kind: 'cron' }],
  ])('%j is %j', (policy, schedule) => {
    expect(read({ ...good, ...policy })).toMatchObject({ order: { schedule } });
  });

  test.each([
    [{ everyNth: 7 }, { kind: 'everyNth', count: 7 }],
    [{ schedule: '@weekly' }, { kind: 'cron' }],
  ])('backups are proven as %j says', (prove, schedule) => {
    expect(read({ ...good, prove })).toMatchObject({ order: { prove: schedule } });
    expect(read(good)).toMatchObject({ order: { prove: undefined } });
  });

  test.each([
    [{ maxBackups: 4 }, { last: 4, daily: 0 }],
    [{ keep: { daily: 7, weekly: 4 } }, { last: 0, daily: 7, weekly: 4, timeZone: 'UTC' }],
    [
      { keep: { within: '72h' }, timeZone: 'Asia/Tokyo' },
      { withinMs: 259_200_000, timeZone: 'Asia/Tokyo' },
    ],
  ])('of %j %j is kept', (backupPolicy, keep) => {
    expect(read({ ...good, backupPolicy })).toMatchObject({ order: { keep } });
  });

  test.each([
    [{ storageType: 'FTP' }, 'UnknownStorage'],
    [{ storageType: undefined }, 'UnknownStorage'],
    [{ s3: undefined }, 'SourceMissing'],
    [{ s3: null }, 'SourceMissing'],
    [{ s3: { path: 'bucket' } }, 'InvalidPath'],
    [{ etcdEndpoints: [] }, 'NoEndpoints'],
    [{ etcdEndpoints: null }, 'NoEndpoints'],
    [{ etcdEndpoints: ['ftp://x'] }, 'InvalidEndpoint'],
    [{ clusterRef: { name: 'c' } }, 'InvalidEndpoint'],
    [{ clusterRef: { name: 'c' }, etcdEndpoints: [], clientTLSSecret: 's' }, 'InvalidEndpoint'],
    [{ clusterRef: { name: 'c' }, etcdEndpoints: null, auth: { secret: 's' } }, 'InvalidEndpoint'],
    [{ clusterRef: {}, etcdEndpoints: [] }, 'NoEndpoints'],
    [{ etcdEndpoints: ['http://u:p@x'] }, 'InvalidEndpoint'],
    [{ backupPolicy: { backupIntervalInSecond: -1 } }, 'InvalidPolicy'],
    [{ backupPolicy: { maxBackups: -1 } }, 'InvalidPolicy'],
    [{ prove: {} }, 'InvalidPolicy'],
    [{ prove: { everyNth: 0 } }, 'InvalidPolicy'],
    [{ prove: { everyNth: 1, schedule: '@daily' } }, 'InvalidPolicy'],
    [{ prove: { schedule: 'now and then' } }, 'InvalidPolicy'],
    [{ backupPolicy: { keep: {} } }, 'InvalidPolicy'],
    [{ backupPolicy: { keep: { daily: 0 } } }, 'InvalidPolicy'],
    [{ backupPolicy: { keep: { daily: -1, last: 1 } } }, 'InvalidPolicy'],
    [{ backupPolicy: { keep: { within: 'long' } } }, 'InvalidPolicy'],
    [{ backupPolicy: { keep: { last: 1 }, maxBackups: 2 } }, 'InvalidPolicy'],
    [{ backupPolicy: { keep: { daily: 1 }, timeZone: 'Mars/Olympus' } }, 'InvalidPolicy'],
    [{ backupPolicy: { schedule: 'every day' } }, 'InvalidPolicy'],
    [{ backupPolicy: { schedule: '@daily', timeZone: 'Mars/Olympus' } }, 'InvalidPolicy'],
    [{ backupPolicy: { schedule: '@daily', backupIntervalInSecond: 5 } }, 'InvalidPolicy'],
  ])('D2: %j is refused as %s', (change, reason) => {
    expect(read({ ...good, ...change })).toMatchObject({ problem: { reason } });
  });

  test.each([
    ['S3', 's3', `b/${'k'.repeat(1_010)}`, {}, true],
    ['S3', 's3', `b/${'k'.repeat(1_011)}`, {}, false],
    ['S3', 's3', `b/${'k'.repeat(968)}`, { backupPolicy: { backupIntervalInSecond: 9 } }, true],
    ['S3', 's3', `b/${'k'.repeat(970)}`, { backupPolicy: { backupIntervalInSecond: 9 } }, false],
    ['Directory', 'directory', `b/${'k'.repeat(241)}`, {}, true],
    ['Directory', 'directory', `b/${'k'.repeat(242)}`, {}, false],
    ['Directory', 'directory', `b/${'ä'.repeat(121)}`, {}, false],
  ])(
    'a path in %s (%s) from which a name is made that is too long is refused first',
    (type, field, path, more, fits) => {
      const result = read({ ...good, storageType: type, [field]: { path }, ...more });
      expect('problem' in result ? result.problem.reason : 'fits').toBe(fits ? 'fits' : 'InvalidPath');
    },
  );

  test('the words for missing endpoints are those of CoreOS etcd-operator', () => {
    expect(read({ ...good, etcdEndpoints: [] })).toMatchObject({
      problem: { message: 'spec.etcdEndpoints should not be empty' },
    });
  });

  test('D2: no spec makes reading it fail', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('S3', 'a/b', 'http://x:1'));
    const spec = fc.record({
      storageType: fc.oneof(text, fc.constant(undefined)),
      s3: fc.oneof(fc.constant(null), fc.record({ path: text })),
      etcdEndpoints: fc.oneof(fc.constant(null), fc.array(text)),
      backupPolicy: fc.oneof(
        fc.constant(null),
        fc.record({
          backupIntervalInSecond: fc.integer(),
          maxBackups: fc.integer(),
          keep: fc.oneof(fc.constant(undefined), fc.record({ last: fc.integer(), daily: fc.double(), within: text })),
          timeoutInSecond: fc.integer(),
          schedule: text,
        }),
      ),
    });
    fc.assert(
      fc.property(spec, (some) => {
        expect(Object.keys(read(some)).length).toBe(1);
      }),
    );
  });
});

describe('endpoints of etcd', () => {
  test.each([
    ['http://a:2379', { host: 'a', port: 2379, tls: false }],
    ['https://a.b.svc:2379/', { host: 'a.b.svc', port: 2379, tls: true }],
    ['https://a', { host: 'a', port: 2379, tls: true }],
    ['https://a:443', { host: 'a', port: 443, tls: true }],
    ['http://a:80', { host: 'a', port: 80, tls: false }],
    ['a:2379', { host: 'a', port: 2379, tls: undefined }],
    ['https://[fd00::1]:2379', { host: 'fd00::1', port: 2379, tls: true }],
  ])('%s', (text, expected) => {
    expect(parseEndpoint(text)).toEqual({ text, ...expected });
  });

  test.each(['', 'http://', 'unix:///x', 'http://a/path', 'http://a?q', 'http://a:99999'])('%j is none', (text) => {
    expect(parseEndpoint(text)).toBeUndefined();
  });
});
