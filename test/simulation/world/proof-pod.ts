// SPDX-License-Identifier: Apache-2.0
import { proveContainer, renderWords } from '@etcd-operator/operator/testing/restore-pods';
import type { Version } from '../etcd/data-directory.ts';
import type { Exit, Member } from '../etcd/member.ts';
import { historyOf } from '../etcd/snapshot.ts';
import type { SimPod } from './sim-pod.ts';

/** The container beside the etcd of a proof: it compares once, and ends. */
export interface ProofRun {
  readonly image: string;
  begunAt: number;
  exit: Exit | undefined;
}

export function proofRunOf({ spec }: SimPod['object']): ProofRun | undefined {
  const container = spec?.containers.find(({ name }) => name === proveContainer);
  return container && { image: container.image ?? '', begunAt: 0, exit: undefined };
}

/** How long it takes to read all of a small backup, in milliseconds. */
const readsFor = 1_000;

/** One look at it: once etcd serves, what it says is compared with the snapshot that was received. */
export function runProof(
  { proof, member, received }: SimPod,
  now: number,
  contentOf: (sha256: string) => readonly Version[] | undefined,
): void {
  if (!proof || proof.exit) return;
  if (proof.begunAt === 0) proof.begunAt = now;
  const content = contentOf(received.sha256 ?? '');
  if (!member?.isServing || !content || now - proof.begunAt < readsFor) return;
  proof.exit = { code: 0, message: compared(member, content) };
}

function compared({ directory, applied, settings }: Member, content: readonly Version[]): string {
  const report = {
    file: figuresOf(content),
    served: figuresOf(historyOf(directory.log.slice(0, applied))),
    etcdVersion: settings.version,
    clusterId: directory.clusterId,
    members: [settings.name],
  };
  return renderWords({ kind: 'report', report });
}

/** All writes go to one key. The sum stands for the hash. */
function figuresOf(history: readonly Version[]) {
  const values = history.flatMap(({ value }) => value ?? []);
  const hash = [...values.join()].reduce((sum, letter) => (31 * sum + letter.charCodeAt(0)) % 4_294_967_296, 7);
  return {
    revision: history.at(-1)?.revision ?? 1,
    compactRevision: history.findLast(({ value }) => value === undefined)?.revision ?? 0,
    keys: values.length > 0 ? 1 : 0,
    hash,
  };
}
