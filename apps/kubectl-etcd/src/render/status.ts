// SPDX-License-Identifier: Apache-2.0

import { type EtcdCluster, observedGenerationIn } from '@etcd-operator/operator';
import type { Event, Pod } from '@operator-parts/kube';
import type { RunningOperator } from '../running-operators.ts';
import { formatBytes } from './bytes.ts';
import { operatorLines } from './operators.ts';
import type { Report } from './print.ts';
import { table } from './table.ts';

type Status = NonNullable<EtcdCluster['status']>;
type Detail = NonNullable<Status['memberDetails']>[number];

/** The input of `status`: the operator's status, the nodes of the pods, and recent events. */
export interface StatusInput {
  readonly cluster: EtcdCluster;
  readonly pods: readonly Pod[];
  /** Oldest first. */
  readonly events: readonly Event[];
  /** Those that manage EtcdClusters. */
  readonly operators: readonly RunningOperator[];
}

/** The state of a cluster, and what the operator does, with the operator's messages. */
export function statusReport(input: StatusInput): Report {
  return { data: statusData(input), lines: (wide) => statusLines(input, wide) };
}

function statusData({ cluster, pods, events, operators }: StatusInput) {
  const { metadata = {}, spec, status = {} } = cluster;
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    phase: status.phase ?? '',
    reason: status.reason ?? '',
    size: { wanted: spec.size, members: status.size ?? 0, ready: status.readySize ?? 0 },
    version: { current: status.currentVersion ?? '', target: status.targetVersion ?? '' },
    clusterID: status.clusterID ?? '',
    observedGeneration: observedGenerationIn(status) ?? 0,
    generation: metadata.generation ?? 0,
    members: (status.memberDetails ?? [])
      .map(asRead(status))
      .map((member) => ({ ...member, node: nodeOf(member, pods) })),
    conditions: status.conditions ?? [],
    operators,
    plan: { next: status.plan?.next ?? [], waitingFor: status.plan?.waitingFor ?? [] },
    events: events.map(({ type, reason, message, lastTimestamp, count }) => ({
      type,
      reason,
      message,
      lastTimestamp,
      count,
    })),
  };
}

function statusLines(input: StatusInput, wide: boolean): readonly string[] {
  const { cluster, pods, events, operators } = input;
  const { status = {} } = cluster;
  const details = status.memberDetails ?? [];
  return [
    headline(cluster),
    ...lagging(cluster),
    '',
    ...(details.length > 0 ? memberTable(details.map(asRead(status)), pods, wide) : ['No members yet.']),
    '',
    ...section('Conditions', conditionLines(status)),
    ...section('Doing', (status.plan?.next ?? []).map(dashed)),
    ...section('Waiting for', (status.plan?.waitingFor ?? []).map(dashed)),
    ...(isIdle(status) ? ['Nothing to do.', ''] : []),
    ...section('Operators', operatorLines(operators)),
    ...section('Events', events.slice(wide ? -20 : -5).map(eventLine)),
  ].slice(0, -1);
}

function headline({ metadata = {}, spec, status = {} }: EtcdCluster): string {
  const version = status.currentVersion ? `etcd ${status.currentVersion}` : '';
  const target = status.targetVersion ? ` -> ${status.targetVersion}` : '';
  const parts = [
    `EtcdCluster ${metadata.namespace}/${metadata.name}`,
    headWord(status),
    `${status.readySize ?? 0} of ${spec.size} ready`,
    `${version}${target}`,
    status.reason ?? '',
  ];
  return parts.filter((part) => part !== '').join('   ');
}

/**
 * The phase, unless it would hide that clients are not served: the phase of a cluster that has lost its quorum is also
 * Running.
 */
function headWord({ phase, conditions }: Status): string {
  const available = conditions?.find(({ type }) => type === 'Available');
  const isHidden = phase === 'Running' && available !== undefined && available.status !== 'True';
  return isHidden ? `not available (${available.reason})` : (phase ?? 'no operator manages it yet');
}

/** A status that is older than the spec does not describe the latest change. */
function lagging({ metadata = {}, status = {} }: EtcdCluster): readonly string[] {
  if (!status.phase || (observedGenerationIn(status) ?? 0) >= (metadata.generation ?? 0)) return [];
  return ['The operator has not processed the latest change of the spec yet.'];
}

function memberTable(details: readonly Detail[], pods: readonly Pod[], wide: boolean): readonly string[] {
  const headings = ['NAME', 'ROLE', 'VERSION', 'REVISION', 'SIZE', 'HEALTHY', 'NODE', ...(wide ? ['ID', 'IP'] : [])];
  const rows = details.map((member) => [
    member.name,
    member.role ?? 'Unknown',
    member.version ?? '-',
    String(member.revision ?? '-'),
    member.databaseSize === undefined ? '-' : formatBytes(member.databaseSize),
    member.healthy ? 'yes' : 'no',
    nodeOf(member, pods) || '-',
    ...(wide ? [member.id ?? '-', podOf(member, pods)?.status?.podIP ?? '-'] : []),
    member.reason ?? '',
  ]);
  return table([...headings, 'WHY'], rows);
}

/** Without outdated facts: the operator queries only reachable members, and none of a paused cluster. */
function asRead({ controlPaused }: Status): (detail: Detail) => Detail {
  return (detail) => {
    const { revision: _revision, databaseSize: _size, ...rest } = detail;
    return detail.healthy && !controlPaused ? detail : rest;
  };
}

function podOf({ name }: Detail, pods: readonly Pod[]): Pod | undefined {
  return pods.find(({ metadata }) => metadata?.name === name);
}

function nodeOf(member: Detail, pods: readonly Pod[]): string {
  return podOf(member, pods)?.spec?.nodeName ?? '';
}

function conditionLines({ conditions }: Status): readonly string[] {
  const rows = (conditions ?? []).map(({ type, status, reason = '', message = '' }) =>
    `${type.padEnd(16)} ${status.padEnd(7)} ${reason}${message ? `: ${message}` : ''}`.trimEnd(),
  );
  return rows;
}

function isIdle({ phase, plan }: Status): boolean {
  return phase !== undefined && !plan?.next?.length && !plan?.waitingFor?.length;
}

function eventLine({ lastTimestamp, eventTime, type = '', reason = '', message = '' }: Event): string {
  const time = /T(\d\d:\d\d:\d\d)/.exec(lastTimestamp ?? eventTime ?? '')?.[1] ?? '        ';
  return `${time}  ${type === 'Warning' ? '! ' : ''}${reason}: ${message}`;
}

function dashed(text: string): string {
  return `- ${text}`;
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`), ''];
}
