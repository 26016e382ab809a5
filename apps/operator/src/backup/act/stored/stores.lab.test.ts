// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAzurite, startFakeGcsServer, startVersitygw, testdata } from '@operator-parts/blob/testing';
import type { EtcdProcess } from '@operator-parts/etcd/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { awsSecret, BackupLab } from '../../../testing/backup-lab.ts';

let ground: BackupLab;
let member: EtcdProcess;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'backup-volume-'));
  ground = await BackupLab.start({
    storage: { directory, policy: { allowLocal: true, resolve: async () => ['127.0.0.1'] } },
  });
  member = await ground.etcd();
});

afterAll(async () => {
  await ground?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

const from = () => ({ etcdEndpoints: [`http://127.0.0.1:${member.clientPort}`] });

describe('[74] [75] a one-shot backup, with the Secret in the form of CoreOS etcd-operator', () => {
  test('to Azure', async () => {
    const azure = await startAzurite();
    onTestFinished(() => azure.stop());
    await ground.secret('abs', { 'storage-account': azure.account, 'storage-key': azure.accountKey });
    await ground.create('azure', {
      ...from(),
      storageType: 'ABS',
      abs: { path: `${azure.container}/a/etcd.backup`, absSecret: 'abs', endpoint: azure.endpoint },
    });
    const { lastBackup } = await ground.succeeded('azure');
    const blob = azure.client.getContainerClient(azure.container).getBlobClient('a/etcd.backup');
    expect((await blob.getProperties()).contentLength).toBe(lastBackup?.bytes);
  });

  test('to Google', async () => {
    const google = await startFakeGcsServer();
    onTestFinished(() => google.stop());
    await ground.secret('gcp', { 'access-token': google.accessToken });
    const gcs = (path: string) => ({
      ...from(),
      storageType: 'GCS',
      gcs: { path, gcpSecret: 'gcp', endpoint: google.endpoint },
    });
    await ground.create('google', gcs(`${google.bucket}/a/etcd.backup`));
    const { lastBackup } = await ground.succeeded('google');
    const answer = await fetch(`${google.endpoint}/storage/v1/b/${google.bucket}/o/a%2Fetcd.backup`);
    expect(await answer.json()).toMatchObject({ size: String(lastBackup?.bytes) });
    await ground.create('google-denied', gcs('nowhere/a'));
    const refused = await ground.status('google-denied', ({ attempts }) => (attempts ?? 0) > 0);
    expect(refused.succeeded, 'D19: an upload that failed is no success').toBe(false);
  });

  test('to OSS, with the bucket in the host name', async () => {
    const { bucket, accessKeyId, secretAccessKey, port, virtualDomain } = ground.s3;
    await ground.secret('oss', { accessKeyID: accessKeyId, accessKeySecret: secretAccessKey });
    await ground.create('alibaba', {
      ...from(),
      storageType: 'OSS',
      oss: {
        path: `${bucket}/oss/etcd.backup`,
        ossSecret: 'oss',
        endpoint: `http://${virtualDomain}:${port}`,
        region: ground.s3.region,
      },
    });
    const { lastBackup } = await ground.succeeded('alibaba');
    expect((await ground.read('oss/etcd.backup')).byteLength).toBe(lastBackup?.bytes);
  });

  test('[76] to a server that speaks S3 with a certificate of a private CA', async () => {
    const secure = await startVersitygw({ tls: true });
    onTestFinished(() => secure.stop());
    await ground.secret('store-ca', { 'ca.crt': await readFile(testdata('ca.pem'), 'utf8') });
    const s3 = { path: `${secure.bucket}/tls`, awsSecret, endpoint: secure.endpoint, forcePathStyle: true };
    await ground.create('untrusted', { ...from(), storageType: 'S3', s3 });
    const refused = await ground.status('untrusted', ({ attempts }) => (attempts ?? 0) > 0);
    expect(refused.succeeded).toBe(false);
    await ground.create('trusted', { ...from(), storageType: 'S3', s3: { ...s3, caSecret: 'store-ca' } });
    await ground.succeeded('trusted');
  });

  test('[88] to a volume of the operator, below the folder of its namespace', async () => {
    await ground.create('volume', { ...from(), storageType: 'Directory', directory: { path: 'a/etcd.backup' } });
    const { lastBackup } = await ground.succeeded('volume');
    expect(lastBackup?.path).toBe('a/etcd.backup');
    expect((await readFile(join(directory, 'default/a/etcd.backup'))).byteLength).toBe(lastBackup?.bytes);
    expect(await readdir(directory)).toEqual(['default']);
  });

  test('security rule 9: a path that leads out of the volume is refused', async () => {
    await ground.create('climbing', { ...from(), storageType: 'Directory', directory: { path: '../other/x' } });
    const refused = await ground.status('climbing', ({ attempts }) => (attempts ?? 0) > 0);
    expect(refused.conditions?.find(({ type }) => type === 'Succeeded')?.reason).toBe('InvalidPath');
  });
});
