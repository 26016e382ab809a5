// SPDX-License-Identifier: Apache-2.0

import { clientServiceName, clusterSelector, etcdBackups, etcdRestores, version } from '@etcd-operator/operator';
import { persistentVolumeClaims, podDisruptionBudgets, services } from '@operator-parts/kube';
import { stringify } from 'yaml';
import { type Access, findCluster } from '../access.ts';
import { ifAllowed } from '../if-allowed.ts';
import { memberPods } from '../member-pods.ts';
import type { Report } from '../render/print.ts';
import { secretNamesIn, secretValues } from '../report/named-secrets.ts';
import { redact } from '../report/redact.ts';
import { runningOperators } from '../running-operators.ts';
import { doctor } from './doctor.ts';
import { eventsAround } from './events.ts';
import { logs } from './logs.ts';
import { members } from './members.ts';

/** All information for diagnosing a cluster, in one document that can be shared. Without Secrets. */
export async function report(
  access: Access,
  { cluster: name, tail }: { readonly cluster: string | undefined; readonly tail: number },
): Promise<Report> {
  const { client, namespace, clock, signal } = access;
  const cluster = await findCluster(access, name);
  const found = cluster.metadata?.name ?? '';
  const mine = { namespace, labelSelector: clusterSelector(found), signal };
  const [pods, volumes, budgets, allServices, backups, restores] = await Promise.all([
    memberPods(access, found),
    ifAllowed(client.resource(persistentVolumeClaims).list(mine)),
    ifAllowed(client.resource(podDisruptionBudgets).list(mine)),
    ifAllowed(client.resource(services).list({ namespace, signal })),
    ifAllowed(client.resource(etcdBackups.resource).list({ namespace, signal })),
    ifAllowed(client.resource(etcdRestores.resource).list({ namespace, signal })),
  ]);
  const objects = {
    cluster,
    pods,
    volumes: volumes.items,
    budgets: budgets.items,
    services: allServices.items.filter(({ metadata }) =>
      [found, clientServiceName(found)].includes(metadata?.name ?? ''),
    ),
    backups: backups.items.filter(({ spec }) => spec.clusterRef?.name === found),
    restores: restores.items.filter(({ spec }) => spec.etcdCluster?.name === found),
  };
  const attempt = (part: Promise<unknown>) => part.catch((error: unknown) => `not available: ${String(error)}`);
  const ofCluster = { cluster: found, allNamespaces: false };
  const logsAsked = { cluster: found, member: undefined, follow: false, tail, previous: false };
  const [findings, etcd, operators, happened, log, before] = await Promise.all([
    attempt(doctor(access, ofCluster).then(({ data }) => data)),
    attempt(members(access, found).then(({ data }) => data)),
    attempt(runningOperators(access)),
    attempt(eventsAround(access, cluster)),
    attempt(logs(access, logsAsked).then(byMember)),
    attempt(logs(access, { ...logsAsked, previous: true }).then(byMember)),
  ]);
  const made = { at: new Date(clock.now()).toISOString(), by: `kubectl-etcd ${version}` };
  const whole = { made, findings, etcd, operators, events: happened, objects, logs: log, logsBeforeRestart: before };
  const secrets = await secretValues(access, secretNamesIn(objects));
  const data = redact(whole, secrets);
  return { data, lines: () => stringify(data, { lineWidth: 0 }).trimEnd().split('\n') };
}

/** The lines of each member together, in order. */
function byMember({ data }: Report): Readonly<Record<string, string>> {
  const lines = data as readonly { readonly member: string; readonly line: string }[];
  const groups = Object.groupBy(lines, ({ member }) => member);
  return Object.fromEntries(
    Object.entries(groups).map(([member, own = []]) => [member, own.map(({ line }) => line).join('\n')]),
  );
}
