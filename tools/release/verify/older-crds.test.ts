// SPDX-License-Identifier: Apache-2.0
import { crdOf } from '@operator-parts/crd';
import { createClient, customResourceDefinitions, type KubeObject, type Resource } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { expect, test } from 'vitest';
import { kinds } from '../../deploy/kinds.ts';
import { olderCRDs, olderObjects } from './older-crds.ts';

test('objects that were made with older CRDs are kept by the newer ones, and can be changed', async () => {
  const client = createClient(createApiServer({}).transport());
  const definitions = client.resource(customResourceDefinitions);
  for (const crd of olderCRDs()) await definitions.create(crd);
  const made: { readonly resource: Resource<KubeObject>; readonly before: KubeObject }[] = [];
  for (const object of olderObjects('default')) {
    const { resource } = kinds.find(({ kind }) => kind === object.kind) ?? {};
    if (!resource) throw new Error(`no kind ${object.kind}`);
    made.push({ resource, before: await client.resource<KubeObject>(resource).create(object) });
  }
  for (const kind of kinds) await definitions.apply(crdOf(kind), { fieldManager: 'kubectl', force: true });
  for (const { resource, before } of made) {
    const objects = client.resource<KubeObject>(resource);
    const key = { namespace: 'default', name: 'kept' };
    const after = await objects.get(key);
    expect(after).toMatchObject(before);
    expect(after).toMatchObject({ status: { observedGeneration: -1 } });
    const patch = { metadata: { labels: { changed: 'yes' } } };
    expect(await objects.patch(key, { type: 'merge', patch })).toMatchObject(patch);
  }
  expect(made).toHaveLength(3);
});
