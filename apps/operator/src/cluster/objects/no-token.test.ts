// SPDX-License-Identifier: Apache-2.0
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Read {
  readonly kind?: string;
  readonly metadata?: { readonly name?: string };
  readonly spec?: { readonly automountServiceAccountToken?: boolean };
}

const folders = ['golden', join('..', '..', 'restore', 'objects', 'golden')].map((path) =>
  join(import.meta.dirname, path),
);

test('security check: no pod has a token of a service account', () => {
  const objects = folders.flatMap((folder) =>
    readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Read),
  );
  const pods = objects.filter(({ kind }) => kind === 'Pod');
  expect(pods.length).toBeGreaterThan(20);
  expect(pods.filter(({ spec }) => spec?.automountServiceAccountToken !== false)).toEqual([]);
});
