// SPDX-License-Identifier: Apache-2.0

import { type ApiServer, startApiServer } from '@etcd-operator/tools';
import { crdYaml } from '@operator-parts/crd';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { etcdBackups } from './etcd-backup.ts';

let server: ApiServer;

beforeAll(async () => {
  server = await startApiServer();
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldValidation=Strict';
  const { status } = await server.call('POST', path, { body: crdYaml(etcdBackups), contentType: 'application/yaml' });
  expect(status).toBe(201);
});
afterAll(() => server?.[Symbol.asyncDispose]());

/** The path is not found until shortly after the kind is served, so the create is retried. */
async function create(name: string, more: object): Promise<string> {
  const path = '/apis/etcd.database.coreos.com/v1beta2/namespaces/default/etcdbackups';
  const spec = { storageType: 'S3', s3: { path: 'bucket/key' }, ...more };
  const body = { apiVersion: 'etcd.database.coreos.com/v1beta2', kind: 'EtcdBackup', metadata: { name }, spec };
  for (let attempt = 0; ; attempt += 1) {
    const answer = await server.call('POST', path, { body });
    if (answer.status !== 404 || attempt === 1200) return answer.status === 201 ? 'created' : answer.body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const clusterRef = { name: 'example' };
const s3 = { path: 'bucket/key' };
const kms = { algorithm: 'aws:kms', kmsKeyID: 'alias/backups', bucketKey: true };
const ossKms = { algorithm: 'KMS', kmsKeyID: 'key' };
const objectLock = { mode: 'Compliance', days: 30 };

describe('a real API server', () => {
  test.each([
    ['a cluster', { clusterRef }],
    ['a key', { clusterRef, encryption: { secret: 's' } }],
    ['encryption and a lock of the backup store', { clusterRef, s3: { ...s3, serverSideEncryption: kms, objectLock } }],
    ['a lock of Azure', { clusterRef, storageType: 'ABS', abs: { path: 'container/key', objectLock } }],
    ['a lock of Google', { clusterRef, storageType: 'GCS', gcs: { path: 'bucket/key', objectLock } }],
    ['encryption by OSS', { clusterRef, storageType: 'OSS', oss: { ...s3, serverSideEncryption: ossKms } }],
    ['endpoints', { etcdEndpoints: ['http://x:2379'], clientTLSSecret: 's', auth: { secret: 's' } }],
  ])('takes a backup that names %s', async (what, more) => {
    expect(await create(what.toLowerCase().replaceAll(' ', '-'), more)).toBe('created');
  });

  test.each([
    ['etcdEndpoints', { etcdEndpoints: ['http://x:2379'] }],
    ['no etcdEndpoints in a list', { etcdEndpoints: [] }],
    ['clientTLSSecret', { clientTLSSecret: 's' }],
    ['auth', { auth: { secret: 's' } }],
  ])('refuses a cluster together with %s, and says what to remove', async (_what, more) => {
    const said = await create('both', { clusterRef, ...more });
    expect(said).toContain('remove these fields, or remove clusterRef');
  });

  test.each([
    [
      'a key of AWS KMS without aws:kms',
      { serverSideEncryption: { ...kms, algorithm: 'AES256' } },
      'can only be set if algorithm is aws:kms',
    ],
    ['an algorithm of another store', { serverSideEncryption: { algorithm: 'rot13' } }, 'spec.s3.serverSideEncryption'],
    ['a lock without days', { objectLock: { mode: 'Governance' } }, 'spec.s3.objectLock.days'],
    ['a lock of no days', { objectLock: { mode: 'Governance', days: 0 } }, 'spec.s3.objectLock.days'],
  ])('refuses %s', async (_what, more, words) => {
    expect(await create('at-rest', { clusterRef, s3: { ...s3, ...more } })).toContain(words);
  });

  test.each([
    ['a key of KMS without KMS', { algorithm: 'SM4', kmsKeyID: 'key' }, 'kmsKeyID can only be set if algorithm is KMS'],
    ['an algorithm that OSS does not have', { algorithm: 'aws:kms' }, 'spec.oss.serverSideEncryption.algorithm'],
  ])('refuses %s', async (_what, serverSideEncryption, words) => {
    const oss = { ...s3, serverSideEncryption };
    expect(await create('oss', { clusterRef, storageType: 'OSS', oss })).toContain(words);
  });

  test.each([{}, { secret: '' }])('refuses the encryption %j, which names no key', async (encryption) => {
    expect(await create('keyless', { clusterRef, encryption })).toContain('spec.encryption.secret');
  });

  test.each([{ clusterRef: {} }, { clusterRef: { name: '' } }])('refuses %j', async (more) => {
    expect(await create('nameless', more)).toContain('spec.clusterRef.name');
  });
});
