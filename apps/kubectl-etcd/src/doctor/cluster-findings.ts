// SPDX-License-Identifier: Apache-2.0
import { type EtcdCluster, observedGenerationIn } from '@etcd-operator/operator';
import type { Finding, Urgency } from './finding.ts';
import { remedies } from './generated/remedies.ts';

type Status = NonNullable<EtcdCluster['status']>;
type Condition = NonNullable<Status['conditions']>[number];

/** Conditions that exist only while there is a problem, and their urgency. All others of this kind are `later`. */
const urgencies: Readonly<Record<string, Urgency>> = {
  AlarmRaised: 'now',
  SecretsInvalid: 'soon',
  SpecRefused: 'soon',
  ServicesOfOtherOwner: 'soon',
  PodsOfOtherOwner: 'soon',
  UnmanagedMembers: 'soon',
  UnknownFields: 'soon',
};

/** Conditions that always exist, or that repeat others. */
const ordinary = new Set(['Available', 'Scaling', 'Upgrading', 'Recovering', 'Ready', 'Reconciling', 'Stalled']);

/** The problems in the conditions and members of an EtcdCluster, with the operator's messages. */
export function clusterFindings(cluster: EtcdCluster): readonly Finding[] {
  const { metadata = {}, status = {} } = cluster;
  const about = { object: `etcdcluster/${metadata.name}`, namespace: metadata.namespace ?? '' };
  const conditions = status.conditions ?? [];
  if (conditions.length === 0) return [{ ...about, ...unseen }];
  const findings = [...available(conditions), ...stalled(conditions), ...abnormal(conditions)];
  const known = new Set<string>();
  return [...findings, ...lagging(cluster), ...members(status), ...reconciling(conditions)]
    .filter(({ what, why }) => {
      // Several conditions may have the same cause and message.
      const cause = `${what.split(': ').at(-1)} ${why}`;
      return known.has(cause) ? false : known.add(cause);
    })
    .map((found) => ({ ...about, ...found }));
}

type Found = Omit<Finding, 'object' | 'namespace'>;

const unseen: Found = {
  urgency: 'now',
  what: 'No operator manages this cluster yet',
  why: 'The EtcdCluster has no status, because no operator has reconciled it.',
  todo: 'To see which operators run and what they manage: kubectl etcd operators',
};

function available(conditions: readonly Condition[]): readonly Found[] {
  const found = conditions.find(({ type }) => type === 'Available');
  if (found?.status === 'True') return found.reason === 'Cluster available' ? [] : [told(found, 'soon')];
  // A cluster that never served is not urgent.
  const isNew = found?.reason === 'Bootstrapping' || found?.reason === 'Restoring';
  return found ? [told(found, isNew ? 'soon' : 'now')] : [];
}

function stalled(conditions: readonly Condition[]): readonly Found[] {
  return conditions
    .filter(({ type, status }) => type === 'Stalled' && status === 'True')
    .map((one) => told(one, 'soon'));
}

function reconciling(conditions: readonly Condition[]): readonly Found[] {
  return conditions
    .filter(({ type, status }) => type === 'Reconciling' && status === 'True')
    .map((one) => told(one, 'later'));
}

function abnormal(conditions: readonly Condition[]): readonly Found[] {
  return conditions
    .filter(({ type, status }) => status === 'True' && !ordinary.has(type))
    .map((one) => told(one, urgencies[one.type] ?? 'later'));
}

function lagging({ metadata = {}, status = {} }: EtcdCluster): readonly Found[] {
  const { controlPaused } = status;
  const seen = observedGenerationIn(status) ?? 0;
  if (seen >= (metadata.generation ?? 0)) return [];
  const why = `The operator has not reconciled generation ${metadata.generation} of the spec yet; the last reconciled generation is ${seen}.`;
  return controlPaused
    ? [
        {
          urgency: 'later',
          what: 'Paused, and changed since',
          why,
          todo: `To resume the cluster: kubectl etcd resume ${metadata.name}`,
        },
      ]
    : [
        {
          urgency: 'soon',
          what: 'The latest spec is not reconciled',
          why,
          todo: 'To see whether an operator runs: kubectl etcd operators',
        },
      ];
}

function members({ memberDetails }: Status): readonly Found[] {
  return (memberDetails ?? [])
    .filter(({ healthy }) => !healthy)
    .map(({ name, reason = '', role = '' }) => ({
      urgency: 'soon',
      what: `Member ${name} is not healthy`,
      why: reason || `Member ${name} (role: ${role || 'unknown'}) is not healthy.`,
      todo: `Read the container logs of the member: kubectl etcd logs --member ${name}. A member that stays unhealthy is replaced after spec.pod.replaceAfter.`,
    }));
}

function told({ type, reason = '', message = '', status }: Condition, urgency: Urgency): Found {
  const state = status === 'True' ? type : `not ${type}`;
  return { urgency, what: `${state}: ${reason}`, why: message, todo: remedyOf('EtcdCluster', reason) };
}

/** The remedy in the table of reasons, as a sentence. */
export function remedyOf(kind: string, reason: string): string {
  const words = remedies[kind]?.[reason] ?? `see reason ${reason} in the reference page docs/reference/reasons.md.`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}
