// SPDX-License-Identifier: Apache-2.0
import type { ContainerStatus, Pod } from '@operator-parts/kube';
import { restoreContainer } from '../../restore/objects/seed-pod.ts';
import { seedFacts } from '../../restore/observe/seed-facts.ts';
import { ProofError } from './proof-error.ts';
import { proveContainer } from './proof-pod.ts';
import { type ProofReport, type ProofWords, readWords } from './proof-report.ts';

type Ended = NonNullable<NonNullable<ContainerStatus['state']>['terminated']>;

/** After etcd has stopped answering the agent, how long to wait until the pod status shows that etcd has ended, in milliseconds. */
const endPatience = 10_000;

/**
 * The report of a proof (test restore of a stored backup) from its pod; undefined while there is no report yet. Throws a `ProofError` if
 * there will be no report. The agent's message has precedence over the state of the containers. If a program that reads the backup exits by
 * itself with an error, the backup is not restorable. If that program was killed or the disk was full, this says nothing about the backup.
 */
export function reportOf(pod: Pod, now: number): ProofReport | undefined {
  const { name = '' } = pod.metadata ?? {};
  const { containerStatuses, initContainerStatuses } = pod.status ?? {};
  const prover = endOf(containerStatuses, proveContainer);
  const words = prover && readWords(prover.message ?? '');
  if (words?.kind === 'report') return words.report;
  if (words) refuse(words, name);
  judgeEnd(pod, endOf(initContainerStatuses, restoreContainer), "etcd's restore tool failed");
  judgeEnd(pod, endOf(containerStatuses, 'etcd'), `etcd in pod/${name} stopped`);
  if (words?.kind === 'notServing') {
    const waited = now - (Date.parse(prover?.finishedAt ?? '') || now);
    if (waited < endPatience && prover?.finishedAt) return undefined;
    throw new ProofError(
      'refuted',
      'RestoreFailed',
      `etcd in pod/${name} runs, but does not serve the restored data: ${words.why}`,
    );
  }
  const { broken } = seedFacts(pod, undefined, now);
  if (broken !== undefined || prover)
    throw new ProofError('untried', 'ProofPodFailed', broken ?? `pod/${name}: ${lastWords(prover)}`);
  return undefined;
}

/** Throws for messages of the agent that decide the proof, whatever happened to other containers. */
function refuse(words: Exclude<ProofWords, { kind: 'report' }>, name: string): void {
  switch (words.kind) {
    case 'loginRefused':
      throw new ProofError('untried', 'ProofLoginRefused', `the restored member rejects the login: ${words.why}`);
    case 'unreadable':
      throw new ProofError('refuted', 'RestoreFailed', `pod/${name}: ${words.why}`);
    case 'notServing':
      return;
  }
}

function judgeEnd({ status }: Pod, ended: Ended | undefined, what: string): void {
  if (!ended || (ended.exitCode === 0 && status?.reason === undefined)) return;
  const message = `${what}: ${lastWords(ended)}`;
  if (isHindered(ended, status?.reason)) throw new ProofError('untried', 'ProofPodFailed', message);
  throw new ProofError('refuted', 'RestoreFailed', message);
}

/** True if a signal, the kubelet (out of memory, evicted, past its deadline) or a full disk ended the container. */
function isHindered({ exitCode, signal, reason, message = '' }: Ended, ofPod: string | undefined): boolean {
  const isKilled = exitCode > 128 || (signal ?? 0) > 0 || reason === 'OOMKilled';
  return isKilled || Boolean(ofPod) || message.includes('no space left on device');
}

function endOf(statuses: readonly ContainerStatus[] | null | undefined, container: string): Ended | undefined {
  return statuses?.find(({ name }) => name === container)?.state?.terminated ?? undefined;
}

function lastWords(ended: Ended | undefined): string {
  const { message, reason, exitCode } = ended ?? {};
  return (
    (message ?? '').trim().slice(-500) || `${reason || 'the container stopped'} (exit code ${exitCode ?? 'unknown'})`
  );
}
