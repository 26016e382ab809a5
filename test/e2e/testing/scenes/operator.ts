// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import type { Scene } from './scene.ts';

const example = join(import.meta.dirname, '..', '..', '..', '..', 'example');

/** An operator in a test's namespace, deployed from the walk-through's files. */
export interface DeployedOperator extends AsyncDisposable {
  /** Its log, one object per line. */
  log(): Promise<string>;
}

export async function deployOperator(scene: Scene): Promise<DeployedOperator> {
  const { cluster, namespace } = scene;
  const roleName = `etcd-operator-${namespace}`;
  const script = [join(example, 'rbac', 'create_role.sh'), `--namespace=${namespace}`];
  const { status, stderr } = await cluster.run([
    ...script,
    `--role-name=${roleName}`,
    `--role-binding-name=${roleName}`,
  ]);
  if (status !== 0) throw new Error(`create_role.sh ended with ${status}: ${stderr}`);
  await scene.kubectl('create', '--filename', join(example, 'deployment.yaml'));
  await scene.kubectl('rollout', 'status', 'deployment/etcd-operator', '--timeout=180s');
  return {
    log: () => scene.kubectl('logs', 'deployment/etcd-operator', '--tail=-1'),
    [Symbol.asyncDispose]: async () => {
      // While it runs it keeps its rights: a refused call in the audit log would look like a relevant one.
      await scene.tryKubectl(['delete', 'deployment', 'etcd-operator', '--ignore-not-found', '--cascade=foreground']);
      await cluster.kubectl(['delete', 'clusterrole,clusterrolebinding', roleName, '--ignore-not-found']);
    },
  };
}
