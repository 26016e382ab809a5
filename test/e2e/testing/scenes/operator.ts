// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import type { Scene } from './scene.ts';

const example = join(import.meta.dirname, '..', '..', '..', '..', 'example');

/** An operator that was deployed with the files of the walk-through, into a test's namespace. */
export interface DeployedOperator extends AsyncDisposable {
  /** What it has logged, one object a line. */
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
      // While it runs it keeps its rights: a refusal in the API server's record would look like one that matters.
      await scene.tryKubectl(['delete', 'deployment', 'etcd-operator', '--ignore-not-found', '--cascade=foreground']);
      await cluster.kubectl(['delete', 'clusterrole,clusterrolebinding', roleName, '--ignore-not-found']);
    },
  };
}
