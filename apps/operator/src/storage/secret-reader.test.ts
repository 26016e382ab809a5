// SPDX-License-Identifier: Apache-2.0
import { createClient, secrets } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { beforeAll, describe, expect, test } from 'vitest';
import { labels, secretUse } from '../api/names.ts';
import type { SecretLabelRule } from './secret-label.ts';
import { secretReader } from './secret-reader.ts';

const client = createClient(createApiServer({}).transport());

beforeAll(async () => {
  const data = { password: Buffer.from('MARKER-password').toString('base64') };
  const made = { plain: {}, labelled: { [labels.use]: secretUse }, otherwise: { [labels.use]: 'something-else' } };
  for (const [name, given] of Object.entries(made))
    await client.resource(secrets).create({ metadata: { name, namespace: 'default', labels: given }, data });
});

/** The password that was read, and the Secrets that were reported as unlabelled. */
async function read(name: string, secretLabel?: SecretLabelRule) {
  const said: string[] = [];
  const rules = { ...(secretLabel && { secretLabel }), onUnlabelled: (secret: string) => void said.push(secret) };
  const data = await secretReader(client, 'default', new AbortController().signal, rules)(name);
  return { password: data?.['password'], said };
}

const used = { password: 'MARKER-password', said: [] };

describe('a Secret without the label for backups', () => {
  test.each(['plain', 'otherwise'])('%s is used without a word where the label is ignored', async (name) => {
    expect(await read(name)).toEqual(used);
    expect(await read(name, 'ignored')).toEqual(used);
  });

  test.each(['plain', 'otherwise'])('%s is used and told of where that is warned of', async (name) => {
    expect(await read(name, 'warned')).toEqual({ ...used, said: [name] });
  });

  test.each(['plain', 'otherwise'])(
    '%s is not used where it is required, and the command that labels it is told',
    async (name) => {
      const refused = await read(name, 'required').catch((error: unknown) => error);
      expect(refused).toMatchObject({ name: 'StorageError', code: 'SecretNotLabelled' });
      const command = `kubectl label secret --namespace default ${name} etcd.database.coreos.com/use=backup`;
      expect(String(refused)).toContain(command);
      expect(String(refused)).not.toContain('MARKER');
    },
  );
});

test.each(['ignored', 'warned', 'required'] as const)(
  'a labelled Secret is used where the label is %s',
  async (rule) => {
    expect(await read('labelled', rule)).toEqual(used);
  },
);

test('one that does not exist is none, whatever is required', async () => {
  expect(await read('gone', 'required')).toEqual({ password: undefined, said: [] });
});
