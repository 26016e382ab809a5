// SPDX-License-Identifier: Apache-2.0

import { etcdBackups, etcdClusters, etcdRestores } from '@etcd-operator/operator';
import type { Cluster, RunOptions, RunResult } from '@etcd-operator/tools/cluster';
import {
  configMaps,
  type KubeObject,
  leases,
  nodes,
  type Pod,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  type Resource,
  services,
} from '@operator-parts/kube';
import { theCluster } from '../cluster.ts';
import { observerClient } from '../kube-client.ts';
import { until } from '../until.ts';

/** The namespace of a test. It is deleted with its content after the test. */
export interface Scene extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly namespace: string;
  /** kubectl in this namespace; rejects if it fails. */
  kubectl(...args: readonly string[]): Promise<string>;
  /** kubectl in this namespace; also resolves if it fails. */
  tryKubectl(args: readonly string[], options?: RunOptions): Promise<RunResult>;
  create(...objects: readonly object[]): Promise<void>;
  get<T>(kind: ReadableKind, name: string): Promise<T>;
  list<T>(kind: ReadableKind, labelSelector?: string): Promise<readonly T[]>;
  pod(name: string): Promise<Pod>;
  /** Waits until a pod has the expected state, and resolves with it. */
  podWhen(name: string, what: string, fits: (pod: Pod) => boolean): Promise<Pod>;
  exec(pod: string, ...command: readonly string[]): Promise<string>;
}

export interface SceneOptions {
  /** The Pod Security Standard that the namespace enforces. @default none */
  readonly podSecurity?: 'baseline' | 'restricted';
}

/** The kinds that tests read, by their names in kubectl. */
const readable = {
  configmap: configMaps,
  etcdbackup: etcdBackups.resource,
  etcdcluster: etcdClusters.resource,
  etcdrestore: etcdRestores.resource,
  lease: leases,
  node: nodes,
  pdb: podDisruptionBudgets,
  pod: pods,
  pvc: persistentVolumeClaims,
  service: services,
} satisfies Readonly<Record<string, Resource>>;
export type ReadableKind = keyof typeof readable;

let opened = 0;

export async function openScene(topic: string, options: SceneOptions = {}): Promise<Scene> {
  const cluster = await theCluster();
  const namespace = `${topic}-${process.pid}-${++opened}`;
  const labels = options.podSecurity && { 'pod-security.kubernetes.io/enforce': options.podSecurity };
  await cluster.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, ...(labels && { labels }) } },
  ]);
  await until('the namespace has its service account', async () => {
    const ask = ['--namespace', namespace, 'get', 'serviceaccount', 'default', '--output=name'];
    return (await cluster.run([cluster.kubectlProgram, ...ask])).status === 0 ? true : undefined;
  });
  return sceneIn(cluster, namespace);
}

/** A scene in an existing namespace, which is kept. */
export function sceneIn(cluster: Cluster, namespace: string): Scene {
  const here = (args: readonly string[]) => ['--namespace', namespace, ...args];
  const kubectl = (...args: readonly string[]) => cluster.kubectl(here(args));
  const get = async <T>(kind: ReadableKind, name: string) => {
    const resource: Resource<KubeObject> = readable[kind];
    return (await (await observerClient(cluster)).resource(resource).get({ namespace, name })) as T;
  };
  const pod = (name: string) => get<Pod>('pod', name);
  return {
    cluster,
    namespace,
    kubectl,
    tryKubectl: (args, runOptions) => cluster.run([cluster.kubectlProgram, ...here(args)], runOptions),
    create: async (...objects) => {
      const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
      const { status, stderr } = await until('kubectl knows the kinds', async () => {
        const answer = await cluster.run([cluster.kubectlProgram, ...here(['create', '--filename=-'])], { input });
        // An operator that has just created its CRD is ready a moment before kubectl finds the kind.
        return answer.stderr.includes('ensure CRDs are installed first') ? undefined : answer;
      });
      if (status !== 0) throw new Error(`kubectl create ended with ${status}: ${stderr}`);
    },
    get,
    list: async <T>(kind: ReadableKind, labelSelector?: string) => {
      const resource: Resource<KubeObject> = readable[kind];
      const options = {
        ...(resource.namespaced && { namespace }),
        ...(labelSelector !== undefined && { labelSelector }),
      };
      return (await (await observerClient(cluster)).resource(resource).list(options)).items as readonly T[];
    },
    pod,
    podWhen: async (name, what, fits) => {
      let last: Pod | undefined;
      const ask = async () => {
        last = await pod(name);
        return fits(last) ? last : undefined;
      };
      try {
        return await until(`pod ${name} ${what}`, ask);
      } catch (cause) {
        throw new Error(`pod ${name} was never ${what}; its last status: ${JSON.stringify(last?.status)}`, { cause });
      }
    },
    exec: (name, ...command) => kubectl('exec', name, '--', ...command),
    [Symbol.asyncDispose]: async () => {
      if (namespace === 'default') return;
      await cluster.kubectl(['delete', 'namespace', namespace, '--wait=false']);
      await cluster.kubectl(here(['delete', 'pod', '--all', '--grace-period=0', '--force', '--wait=false']));
    },
  };
}
