// SPDX-License-Identifier: Apache-2.0
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensurePart } from '@etcd-operator/tools';
import { serviceAccounts, type TokenRequest } from '@operator-parts/kube';
import { type Lab, startLab } from '@operator-parts/kube-lab';
import { home } from './readme.ts';
import { type Place, type } from './terminal.ts';

/** A cluster, and the machine of a user with kubectl. */
export interface LabCluster extends AsyncDisposable {
  readonly lab: Lab;
  /** A home folder; `~/.kube/config` in it has exactly the rights of deploy/rbac.yaml. */
  readonly userHome: string;
  /** Where commands are typed: as an administrator, unless they name `~/.kube/config`. */
  place(folder: string): Place;
}

export async function startLabCluster(): Promise<LabCluster> {
  const { programs } = await ensurePart('kubectl');
  const lab = await startLab({ nodes: 0 });
  const userHome = await mkdtemp(join(tmpdir(), 'network-controller-'));
  const path = [dirname(programs['kubectl'] ?? ''), dirname(process.execPath), process.env['PATH']].join(':');
  const env = { PATH: path, HOME: userHome, KUBECONFIG: lab.kubeconfigPath, npm_config_update_notifier: 'false' };
  const place = (folder: string): Place => ({ folder, env });
  await mkdir(join(userHome, '.kube'));
  const config = join(userHome, '.kube', 'config');
  await writeFile(config, await readFile(lab.kubeconfigPath, 'utf8'));
  await type('kubectl apply -f deploy/rbac.yaml', place(home));
  const account = { namespace: 'default', name: 'network-controller' };
  const accounts = lab.client().resource(serviceAccounts).subresource<TokenRequest>('token');
  const { status } = await accounts.create(account, { spec: { audiences: [] } });
  const user = `--kubeconfig=${config} --current --user=controller`;
  await type(`kubectl config set-credentials controller --token=${status?.token} --kubeconfig=${config}`, place(home));
  await type(`kubectl config set-context ${user}`, place(home));
  return {
    lab,
    userHome,
    place,
    async [Symbol.asyncDispose]() {
      await lab.stop();
      await rm(userHome, { recursive: true, force: true });
    },
  };
}
