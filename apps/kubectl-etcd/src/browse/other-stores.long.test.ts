// SPDX-License-Identifier: Apache-2.0
import { startAzurite, startFakeGcsServer } from '@operator-parts/blob/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { asListed, BrowseLab } from '../testing/browse-lab.ts';

let lab: BrowseLab;
beforeAll(async () => {
  lab = await BrowseLab.start();
}, 300_000);
afterAll(() => lab?.[Symbol.asyncDispose]());

test('backups in Azure and Google are read as those in S3 and in a directory are', async () => {
  const [azure, google] = await Promise.all([startAzurite(), startFakeGcsServer()]);
  onTestFinished(async () => {
    await Promise.all([azure.stop(), google.stop()]);
  });
  await lab.secret('abs', { 'storage-account': azure.account, 'storage-key': azure.accountKey });
  await lab.secret('gcp', { 'access-token': google.accessToken });
  const abs = { path: `${azure.container}/etcd.backup`, absSecret: 'abs', endpoint: azure.endpoint };
  const gcs = { path: `${google.bucket}/etcd.backup`, gcpSecret: 'gcp', endpoint: google.endpoint };
  await lab.backUp('azure', { storageType: 'ABS', abs });
  await lab.backUp('google', { storageType: 'GCS', gcs });
  const now = await lab.contents();
  for (const name of ['azure', 'google']) expect(asListed(await lab.browsed(name))).toEqual(now);
}, 120_000);
