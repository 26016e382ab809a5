// SPDX-License-Identifier: Apache-2.0
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ClusterRoleBinding, Pod } from '@etcd-operator/kube';
import { createImage, type ImageEntry, type Lab } from '@etcd-operator/kube-lab';
import { operatorImageName } from '@etcd-operator/operator';
import { applyObjects } from './apply-objects.ts';
import { namespace } from './example-cluster.ts';
import type { GrowingImages } from './growing-images.ts';

const root = resolve(import.meta.dirname, '../../../..');
const operators = ['etcd-backup-operator', 'etcd-restore-operator'] as const;
const programs = [...operators, 'etcd-restore-agent'] as const;

export interface StoreOperatorOptions {
  readonly lab: Lab;
  readonly images: GrowingImages;
  /** Folder of the host that the restore operator may read backups from. */
  readonly kept: string | undefined;
  readonly signal: AbortSignal;
}

/** Runs the backup and the restore operator as pods of the lab: they reach members and stores by name, as in any cluster. */
export async function startStoreOperators({ lab, images, kept, signal }: StoreOperatorOptions): Promise<void> {
  const image = createImage({
    files: { entries: [...(await entries(lab)), ...folderEntry(kept)] },
    entrypoint: [],
    cmd: [],
    env: {},
  });
  const [repository = ''] = operatorImageName.split(':');
  images.add({ repositories: [repository], tags: { '*': image } });
  await applyObjects([rights, ...operators.map((name) => podOf(name, kept))], {
    transport: lab.server.transport(),
    signal,
  });
}

/** The programs as they stand here, where the real image has them, started by this very Node. */
async function entries(lab: Lab): Promise<readonly ImageEntry[]> {
  const folder = join(lab.directory, 'launchers');
  await mkdir(folder, { recursive: true });
  const launchers = programs.map(async (name): Promise<ImageEntry> => {
    const source = join(root, 'apps', 'operator', 'src', 'programs', `${name}.ts`);
    const launcher = join(folder, name);
    const text = `#!/bin/sh\nexec /usr/local/bin/node ${source} "$@"\n`;
    await writeFile(launcher, text, { mode: 0o755 });
    return { kind: 'bind', path: `/usr/local/bin/${name}`, source: launcher };
  });
  return [
    ...['/lib', '/lib64', '/usr/lib', '/usr/lib64', '/bin', '/usr/bin'].flatMap(systemFolder),
    { kind: 'bind', path: '/usr/local/bin/node', source: process.execPath },
    { kind: 'bind', path: root, source: root },
    { kind: 'file', path: '/etc/nsswitch.conf', text: 'hosts: files dns\n' },
    ...(await Promise.all(launchers)),
  ];
}

const keptPath = '/kept';

function folderEntry(kept: string | undefined): readonly ImageEntry[] {
  return kept === undefined ? [] : [{ kind: 'bind', path: keptPath, source: kept }];
}

function systemFolder(path: string): readonly ImageEntry[] {
  if (!existsSync(path)) return [];
  if (lstatSync(path).isSymbolicLink()) return [{ kind: 'link', path, target: readlinkSync(path) }];
  return [{ kind: 'bind', path, source: path }];
}

const rights: ClusterRoleBinding = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'playground-operators' },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
  subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
};

function podOf(name: (typeof operators)[number], kept: string | undefined): Pod {
  const takesFolder = kept !== undefined && name === 'etcd-restore-operator';
  const own = (variable: string, fieldPath: string) => ({ name: variable, valueFrom: { fieldRef: { fieldPath } } });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { name } },
    spec: {
      containers: [
        {
          name,
          image: operatorImageName,
          command: [`/usr/local/bin/${name}`, ...(takesFolder ? [`-backup-directory=${keptPath}`] : [])],
          env: [own('MY_POD_NAMESPACE', 'metadata.namespace'), own('MY_POD_NAME', 'metadata.name')],
        },
      ],
    },
  };
}
