// SPDX-License-Identifier: Apache-2.0

import { type EtcdCluster, etcdClusters } from '@etcd-operator/operator';
import {
  type Client,
  type Event,
  events,
  isKubeError,
  type KubeObject,
  leases,
  nodes,
  pods,
  type Resource,
  type WatchEvent,
} from '@operator-parts/kube';
import { type Clock, systemClock } from '@operator-parts/ports';
import type { NodeState } from '../model/state.ts';
import type { Message } from '../model/update.ts';
import { namespace } from './example-cluster.ts';
import { placementOf } from './lab-actions.ts';

export interface FeedOptions {
  readonly client: Client;
  /** Name of the cluster that is shown first; undefined for the oldest. */
  readonly cluster: string | undefined;
  readonly isCut: (node: string) => boolean;
  readonly send: (message: Message) => void;
  readonly clock?: Clock;
  readonly signal: AbortSignal;
}

/** How often a kind that is not served yet is checked, in milliseconds. */
const unservedPause = 300;

/** Converts events of the lab to messages, until the signal is aborted. */
export async function followLab(options: FeedOptions): Promise<void> {
  const { send, signal } = options;
  const told = new Set<string>();
  await Promise.all([
    follow(etcdClusters.resource, { namespace }, options, (all) =>
      send({ kind: 'clusters', clusters: inOrder(all, options.cluster) }),
    ),
    follow(pods, { namespace, labelSelector: 'etcd_cluster' }, options, (all) =>
      send({ kind: 'placement', placement: placementOf(all) }),
    ),
    followOperators(options),
    follow(nodes, {}, options, (all) => send({ kind: 'nodes', nodes: all.map((node) => nodeState(node, options)) })),
    follow(events, { namespace }, options, (_all, { object, type }) => {
      if (type === 'DELETED' || !object.involvedObject.kind?.startsWith('Etcd')) return;
      // A restarted watch lists everything again.
      const version = `${object.metadata?.uid} ${object.metadata?.resourceVersion}`;
      if (!told.has(version)) send(noteOf(object));
      told.add(version);
    }),
  ]).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

/** The holder of the operator's lease, and the pods that run an operator. */
async function followOperators(options: FeedOptions): Promise<void> {
  let holder = '';
  let candidates: readonly string[] = [];
  const tell = () => options.send({ kind: 'operators', operators: { holder, pods: candidates } });
  // The built-in operator is about to acquire the lease; without it there is no holder until an operator is deployed.
  if (options.cluster === undefined) tell();
  await Promise.all([
    follow(leases, { namespace, fieldSelector: 'metadata.name=etcd-operator' }, options, ([lease]) => {
      const now = lease?.spec?.holderIdentity ?? '';
      if (now === holder) return;
      holder = now;
      tell();
    }),
    follow(pods, { namespace, labelSelector: 'name=etcd-operator' }, options, (all) => {
      const names = all.map(({ metadata }) => metadata?.name ?? '');
      if (names.join() === candidates.join()) return;
      candidates = names;
      tell();
    }),
  ]);
}

type Change<T extends KubeObject> = Extract<WatchEvent<T>, { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' }>;

/** Keeps a watch open and calls back with all objects after each change. */
async function follow<T extends KubeObject>(
  resource: Resource<T>,
  select: { readonly namespace?: string; readonly fieldSelector?: string; readonly labelSelector?: string },
  { client, signal, clock = systemClock }: FeedOptions,
  changed: (all: readonly T[], event: Change<T>) => void,
): Promise<void> {
  const known = new Map<string, T>();
  const options = { ...select, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', signal } as const;
  const take = (event: WatchEvent<T>) => {
    if (event.type === 'BOOKMARK') return;
    const uid = event.object.metadata?.uid ?? '';
    if (event.type === 'DELETED') known.delete(uid);
    else known.set(uid, event.object);
    changed([...known.values()].sort(byName), event);
  };
  while (!signal.aborted) {
    try {
      for await (const event of client.resource(resource).watch(options)) take(event);
    } catch (error) {
      if (signal.aborted) return;
      if (!isKubeError(error)) throw error;
      known.clear();
      await clock.sleep(isKubeError(error, 'NotFound') ? unservedPause : 50, signal);
    }
  }
}

function byName(a: KubeObject, b: KubeObject): number {
  return (a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1;
}

/** The playground's own cluster first, then by age. */
function inOrder(all: readonly EtcdCluster[], own: string | undefined): readonly EtcdCluster[] {
  const isOwn = ({ metadata }: EtcdCluster) => own !== undefined && metadata?.name === own;
  return [...all.filter(isOwn), ...all.filter((cluster) => !isOwn(cluster)).sort(byAge)];
}

/** The oldest first; by name if they have the same age. */
function byAge(a: KubeObject, b: KubeObject): number {
  const [one, other] = [a, b].map(({ metadata }) => metadata?.creationTimestamp ?? '');
  return one === other ? byName(a, b) : (one ?? '') < (other ?? '') ? -1 : 1;
}

function nodeState(
  { metadata, status }: { readonly metadata?: KubeObject['metadata']; readonly status?: unknown },
  { isCut }: FeedOptions,
): NodeState {
  const name = metadata?.name ?? '';
  const { conditions } = (status ?? {}) as { conditions?: readonly { type: string; status: string }[] };
  const isReady = conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') ?? false;
  return { name, isReady, isCut: isCut(name) };
}

function noteOf({ type, reason = '', message = '', involvedObject }: Event): Message {
  const isCluster = involvedObject.kind === 'EtcdCluster';
  const text = `${isCluster ? '' : `${involvedObject.kind} `}${reason}: ${message}`;
  const about = isCluster ? involvedObject.name : undefined;
  return { kind: 'note', text, tone: type === 'Warning' ? 'bad' : 'plain', about };
}
