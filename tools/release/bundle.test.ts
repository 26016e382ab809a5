// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { kinds } from '../deploy/kinds.ts';
import { repositoryRoot } from '../repository-root.ts';
import { bundleFiles } from './bundle.ts';
import { type ClusterServiceVersion, installedBundle } from './verify/installed-bundle.ts';

interface Made {
  readonly kind: string;
  readonly spec?: object;
  readonly rules?: readonly object[];
}

const files = new Map(
  bundleFiles({ version: '0.1.0', repository: 'https://example.invalid/etcd-operator' }).map((file) => [
    file.path,
    parse(
      file.kind === 'file' && file.content instanceof Uint8Array ? Buffer.from(file.content).toString() : '',
    ) as unknown,
  ]),
);
const version = files.get('manifests/etcd-operator.clusterserviceversion.yaml') as ClusterServiceVersion & {
  readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
  readonly spec: { readonly customresourcedefinitions: { readonly owned: readonly { readonly kind: string }[] } };
};

test('the bundle installs the same Deployment with the same rights as the one file', () => {
  const text = readFileSync(join(repositoryRoot, 'deploy', 'install.yaml'), 'utf8');
  const inFile = parseAllDocuments(text).map((document) => document.toJS() as Made & { metadata: { name: string } });
  const made = installedBundle(version, 'etcd-operator') as readonly Made[];
  const one = (objects: readonly Made[], kind: string) => objects.find((object) => object.kind === kind);
  const ofOperator = inFile.filter(({ metadata }) => !/-(view|edit)$/.test(metadata.name));
  expect(one(made, 'Deployment')?.spec).toEqual(one(ofOperator, 'Deployment')?.spec);
  expect(one(made, 'ClusterRole')?.rules).toEqual(one(ofOperator, 'ClusterRole')?.rules);
  expect(one(made, 'Role')?.rules).toEqual(one(ofOperator, 'Role')?.rules);
  expect(one(made, 'Role')?.rules?.length).toBeGreaterThan(0);
});

test('the bundle may follow any earlier one', () => {
  expect(version.metadata.annotations['olm.skipRange']).toBe('<0.1.0');
});

test('the bundle brings, names and shows every kind', () => {
  const names = kinds.map(({ resource }) => resource.kind);
  expect(version.spec.customresourcedefinitions.owned.map(({ kind }) => kind)).toEqual(names);
  const examples = JSON.parse(version.metadata.annotations['alm-examples'] ?? '[]') as readonly Made[];
  expect(examples.map(({ kind }) => kind)).toEqual(names);
  const crds = kinds.map(({ resource }) => files.get(`manifests/${resource.plural}.yaml`) as Made);
  expect(crds.map(({ kind }) => kind)).toEqual(kinds.map(() => 'CustomResourceDefinition'));
});
