// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { cacheDirectory } from '../parts/cache-directory.ts';
import { ClusterError } from './cluster-error.ts';

/** The paths of one cluster on this machine. Everything is below `directory`, which is removed with the cluster. */
export interface Layout {
  readonly name: string;
  readonly directory: string;
  /** The owner; written last at a start, removed last at a stop. */
  readonly stateFile: string;
  /** Kubeconfig of an administrator. */
  readonly kubeconfig: string;
  readonly certificates: string;
  readonly configuration: string;
  /** The cluster's /var/lib and /var/log. */
  readonly varLib: string;
  readonly varLog: string;
  /** Data of the API server's etcd. */
  readonly etcd: string;
  /** One file per component. */
  readonly logs: string;
  /** The cgroup of all pods, from the root of the hierarchy. */
  readonly cgroup: string;
}

/** Folders of this machine that the cluster replaces by its own. */
const hidden = ['/var/lib', '/var/log', '/run', '/var/run'];

/** Names of clusters are used for folders and cgroups. */
export function layoutOf(name: string, cache: string = cacheDirectory()): Layout {
  if (!/^[a-z][a-z0-9-]{0,30}$/.test(name)) {
    throw new ClusterError(
      'NotPossibleHere',
      `"${name}" is no name for a cluster: use small letters, digits and dashes`,
    );
  }
  const covered = hidden.find((path) => `${cache}/`.startsWith(`${path}/`));
  if (covered !== undefined) {
    throw new ClusterError(
      'NotPossibleHere',
      `the cluster cannot keep its files in ${cache}, because it has a ${covered} of its own: set ETCD_OPERATOR_CACHE to another folder`,
    );
  }
  const directory = join(cache, 'clusters', name);
  return {
    name,
    directory,
    stateFile: join(directory, 'cluster.json'),
    kubeconfig: join(directory, 'kubeconfig'),
    certificates: join(directory, 'certificates'),
    configuration: join(directory, 'configuration'),
    varLib: join(directory, 'var-lib'),
    varLog: join(directory, 'var-log'),
    etcd: join(directory, 'etcd'),
    logs: join(directory, 'logs'),
    cgroup: `/etcd-operator-${name}`,
  };
}

/** Addresses inside the cluster's network namespace, which are private: every cluster has the same. */
export const addresses = {
  nodeName: 'node-1',
  node: '10.77.0.1',
  nodeNetwork: '10.77.0.1/24',
  pods: '10.88.0.0/16',
  services: '10.96.0.0/16',
  /** The first address of `services` is the API server's. */
  apiServer: '10.96.0.1',
  dns: '10.96.0.10',
  domain: 'cluster.local',
  server: 'https://127.0.0.1:6443',
} as const;
