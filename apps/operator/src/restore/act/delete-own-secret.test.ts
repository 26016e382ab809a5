// SPDX-License-Identifier: Apache-2.0
import { createClient, secrets } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { afterAll, expect, test } from 'vitest';
import { restoreSecret, secretNameOf } from '../objects/restore-secret.ts';
import { deleteOwnSecret } from './delete-own-secret.ts';

const server = createApiServer();
const client = createClient(server.transport());
const { signal } = new AbortController();
afterAll(() => server.close());

const owner = { name: 'r', namespace: 'default', uid: '0123456789' };
const names = async () =>
  (await client.resource(secrets).list({ namespace: 'default' })).items.map(({ metadata }) => metadata?.name);

test('the Secret of a restore is deleted, and one that is not there is no failure', async () => {
  await client.resource(secrets).create(restoreSecret(owner, Uint8Array.of(1)));
  await deleteOwnSecret(client, owner, signal);
  await deleteOwnSecret(client, owner, signal);
  expect(await names()).toEqual([]);
});

test('safety rule 12: a Secret of that name that belongs to another owner stays', async () => {
  const metadata = { name: secretNameOf(owner), namespace: 'default' };
  await client.resource(secrets).create({ metadata, data: {} });
  await deleteOwnSecret(client, owner, signal);
  expect(await names()).toEqual([metadata.name]);
});
