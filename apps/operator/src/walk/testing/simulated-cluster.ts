// SPDX-License-Identifier: Apache-2.0
import {
  type KubeObject,
  namespaces,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  type Resource,
  services,
} from '@operator-parts/kube';
import type { EtcdCluster, EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { annotations } from '../../api/names.ts';
import type { ActContext } from '../../cluster/act/act-context.ts';
import { type Attempt, attempt } from '../../cluster/act/attempt.ts';
import { createMember } from '../../cluster/act/pod-steps.ts';
import { ClusterEtcd } from '../../cluster/etcd/cluster-etcd.ts';
import type { Observation } from '../../cluster/observation.ts';
import { fromServer } from '../../cluster/observe/gather.ts';
import { kubernetesView } from '../../cluster/observe/observe.ts';
import { type Plan, planCluster } from '../../cluster/plan/plan.ts';
import { isIndependent, type Step } from '../../cluster/plan/step.ts';
import type { ApiServerScene } from '../../testing/api-server-scene.ts';
import { soundly } from './built.ts';
import { everyGrant } from './every-grant.ts';
import { clusterId, healthyEtcd, memberNames } from './healthy-etcd.ts';
import { createServiceAccounts } from './named-objects.ts';
import { running } from './running.ts';

const { signal } = new AbortController();
const fence = () => undefined;
const now = 1_000_000_000;

/** The result of reconciling until nothing is left to do. */
export interface Rest {
  readonly plan: Plan;
  /** Kinds of the steps that were carried out, in order. */
  readonly done: readonly Step['do'][];
  /** The outcome of the first step that failed; undefined if all succeeded. */
  readonly setback: Exclude<Attempt, { kind: 'done' }> | undefined;
}

/**
 * A cluster of three healthy members with volumes on an API server without nodes. Observe, plan and act are the operator's own. A deleted
 * pod that was recreated is Ready one round later. The membership of etcd does not change here, so a step that would change it counts as
 * failed.
 */
export class SimulatedCluster {
  readonly #scene: ApiServerScene;
  readonly #namespace: string;
  #leader = 'a1';

  private constructor(scene: ApiServerScene, namespace: string) {
    this.#scene = scene;
    this.#namespace = namespace;
  }

  static async begin(scene: ApiServerScene, namespace: string, spec: EtcdClusterSpec): Promise<SimulatedCluster> {
    const simulated = new SimulatedCluster(scene, namespace);
    await scene.client.resource(namespaces).create({ metadata: { name: namespace } });
    await createServiceAccounts(scene.client, namespace);
    const notes = { [annotations.clusterId]: clusterId, [annotations.incarnation]: '1' };
    const cluster = await scene.clusters.create({
      ...{ apiVersion: 'etcd.database.coreos.com/v1beta2', kind: 'EtcdCluster', spec },
      metadata: { name: 'walk', namespace, annotations: notes },
    });
    for (const [memberId, name] of memberNames) await simulated.#createMember(cluster, memberId, name);
    await simulated.#startPods();
    return simulated;
  }

  async declare(spec: EtcdClusterSpec): Promise<void> {
    const key = { namespace: this.#namespace, name: 'walk' };
    const { metadata, status } = await this.#scene.clusters.get(key);
    const head = { apiVersion: 'etcd.database.coreos.com/v1beta2', kind: 'EtcdCluster' } as const;
    await this.#scene.clusters.replace({ ...head, ...(metadata && { metadata }), spec, ...(status && { status }) });
  }

  /** Reconciles until nothing is left to do or a step fails. Throws if more than one member is out of service meanwhile. */
  async settle(): Promise<Rest> {
    const done: Step['do'][] = [];
    for (let round = 0; round < 40; round++) {
      const { plan, observation, context } = await this.#observe();
      const ready = observation.pods.filter((pod) => pod.ready).length;
      if (ready < memberNames.size - 1) throw new Error(`only ${ready} of ${memberNames.size} members are Ready`);
      if (plan.steps.length === 0 && ready === memberNames.size) return { plan, done, setback: undefined };
      const setback = await this.#takeAll(plan, context, done);
      if (setback) return { plan, done, setback };
      if (plan.steps.length === 0) await this.#startPods();
    }
    throw new Error(`no rest after ${done.join(', ')}`);
  }

  async #takeAll(plan: Plan, context: ActContext | undefined, done: Step['do'][]): Promise<Rest['setback']> {
    const before = done.length;
    let held: Rest['setback'];
    for (const { step } of plan.steps) {
      const outcome = await this.#take(step, context);
      if (outcome.kind === 'done') done.push(step.do);
      else if (isIndependent(step)) held ??= outcome;
      else return outcome;
    }
    // A failed step that no other step depends on is reported only when no other step succeeds.
    return done.length === before ? held : undefined;
  }

  /** Leadership moves as requested. All other steps are carried out by the operator's code. */
  async #take(step: Step, context: ActContext | undefined): Promise<Attempt> {
    if (!context) return { kind: 'refused', why: 'the spec is invalid' };
    if (step.do !== 'moveLeader') return attempt(step, context);
    this.#leader = step.to;
    return { kind: 'done' };
  }

  /** The objects of the cluster, without the fields that differ between two clusters that were created in the same way. */
  async state(): Promise<unknown> {
    const { client } = this.#scene;
    const all = { namespace: this.#namespace };
    const kinds: readonly Resource<KubeObject>[] = [pods, persistentVolumeClaims, services, podDisruptionBudgets];
    const lists = await Promise.all(kinds.map((kind) => client.resource(kind).list(all)));
    const found = lists.flatMap(({ items }) =>
      items.map(({ metadata = {}, ...rest }) => {
        const { name, labels, annotations: notes } = metadata;
        const { [annotations.freshVolume]: _fresh, ...kept } = notes ?? {};
        return { name, labels, notes: kept, spec: 'spec' in rest ? rest.spec : undefined };
      }),
    );
    const text = JSON.stringify(found, (key, value: unknown) => {
      if (/^clusterIPs?$/.test(key)) return undefined;
      return /nodePort$/i.test(key) ? 'any' : value;
    });
    return JSON.parse(text.replaceAll(`.${this.#namespace}.svc`, '.namespace.svc'));
  }

  async #observe() {
    const { client, clusters } = this.#scene;
    const cluster = await clusters.get({ namespace: this.#namespace, name: 'walk' });
    const found = await fromServer(client, cluster, signal);
    if (!found) throw new Error('the EtcdCluster is gone');
    const view = kubernetesView(found, {
      ...{ credentials: { tls: undefined, login: undefined }, secretProblems: [], coreosOperator: undefined },
      ...{ imageCheckOutput: new Map(), isLive: true, grants: everyGrant, seenSince: () => 1 },
    });
    const observation = { ...view, etcd: healthyEtcd(view, this.#namespace, this.#leader) };
    const plan = planCluster(observation, now);
    const { desired } = view.cluster;
    const context = 'problems' in desired ? undefined : this.#context(found.cluster, observation);
    return { plan, observation, context };
  }

  #context(cluster: EtcdCluster, observation?: Observation): ActContext {
    const membership = observation?.etcd.membership;
    return {
      ...{
        client: this.#scene.client,
        cluster,
        desired: soundly(cluster.spec),
        clusterId,
        incarnation: 1,
        signal,
        fence,
      },
      etcd: new ClusterEtcd(undefined, new Map(), { fence, signal }),
      members: membership?.kind === 'known' ? membership.members : [],
      seen: new Set([...(observation?.pods ?? []), ...(observation?.volumes ?? [])].map(({ uid }) => uid)),
      tlsKeys: { peer: 'own', server: 'own', client: 'own' },
    };
  }

  async #createMember(cluster: EtcdCluster, memberId: string, name: string): Promise<void> {
    const context = this.#context(cluster);
    const identity = { clusterId, memberId };
    const member = { name, incarnation: 1, boot: { state: 'cleared' }, release: context.desired } as const;
    const outcome = await createMember({ ...member, identity, isVoter: true }, context);
    if (outcome.kind !== 'done') throw new Error(outcome.why);
    if (context.desired.storage !== 'claim') return;
    const notes = { [annotations.clusterId]: clusterId, [annotations.memberId]: memberId };
    const patch = { metadata: { annotations: notes } };
    const key = { namespace: this.#namespace, name };
    await this.#scene.client.resource(persistentVolumeClaims).patch(key, { type: 'merge', patch });
  }

  /** Sets the status that a kubelet would report, on pods that are not running yet. */
  async #startPods(): Promise<void> {
    const resource = this.#scene.client.resource(pods);
    const { items } = await resource.list({ namespace: this.#namespace });
    for (const pod of items.filter(({ status }) => status?.phase !== 'Running')) {
      const { name = '' } = pod.metadata ?? {};
      await resource.status.patch(
        { namespace: this.#namespace, name },
        { type: 'merge', patch: { status: running(pod) } },
      );
    }
  }
}
