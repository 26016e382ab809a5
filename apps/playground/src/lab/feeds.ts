// SPDX-License-Identifier: Apache-2.0
import {
  type Client,
  type Event,
  events,
  isKubeError,
  type KubeObject,
  nodes,
  pods,
  type Resource,
  type WatchEvent,
} from '@etcd-operator/kube';
import { etcdClusters } from '@etcd-operator/operator';
import { type Clock, systemClock } from '@etcd-operator/ports';
import type { NodeState } from '../model/state.ts';
import type { Message } from '../model/update.ts';
import { placementOf } from './doings.ts';
import { namespace } from './example-cluster.ts';

export interface FeedOptions {
  readonly client: Client;
  /** The cluster that is shown. */
  readonly cluster: string;
  readonly isCut: (node: string) => boolean;
  readonly send: (message: Message) => void;
  readonly clock?: Clock;
  readonly signal: AbortSignal;
}

/** Turns what happens in the lab into messages, until the signal ends it. */
export async function followLab(options: FeedOptions): Promise<void> {
  const { cluster, send, signal } = options;
  const ofCluster = { namespace, fieldSelector: `metadata.name=${cluster}` };
  await Promise.all([
    follow(etcdClusters.resource, ofCluster, options, (_all, event) =>
      send({ kind: 'cluster', cluster: event.type === 'DELETED' ? undefined : event.object }),
    ),
    follow(pods, { namespace, labelSelector: `etcd_cluster=${cluster}` }, options, (all) =>
      send({ kind: 'placement', placement: placementOf(all) }),
    ),
    follow(nodes, {}, options, (all) => send({ kind: 'nodes', nodes: all.map((node) => nodeState(node, options)) })),
    follow(events, { namespace }, options, (_all, { object, type }) => {
      if (type !== 'DELETED' && object.involvedObject.kind?.startsWith('Etcd')) send(noteOf(object));
    }),
  ]).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

type Change<T extends KubeObject> = Extract<WatchEvent<T>, { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' }>;

/** Keeps a watch going and calls back with all objects after each change. */
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
      await clock.sleep(50, signal);
    }
  }
}

function byName(a: KubeObject, b: KubeObject): number {
  return (a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1;
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
  const about = involvedObject.kind === 'EtcdCluster' ? '' : `${involvedObject.kind} `;
  return { kind: 'note', text: `${about}${reason}: ${message}`, tone: type === 'Warning' ? 'bad' : 'plain' };
}
