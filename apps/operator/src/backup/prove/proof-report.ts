// SPDX-License-Identifier: Apache-2.0
import { isCount, isFields } from '../../api/json-fields.ts';

/** What a stored backup contains, and what the restored etcd serves from it. The agent in the pod of a proof writes this. */
export interface ProofReport {
  /** What the agent found by reading every entry of the file, without etcd. */
  readonly file: ProofFigures;
  /** What the restored etcd serves at the same revision. */
  readonly served: ProofFigures;
  readonly etcdVersion: string;
  /** The cluster ID of etcd, hexadecimal. */
  readonly clusterId: string;
  /** Names of the members that etcd lists. */
  readonly members: readonly string[];
}

export interface ProofFigures {
  readonly revision: number;
  readonly compactRevision: number;
  readonly keys: number;
  readonly hash: number;
}

/** The termination message of the pod of a proof. */
export type ProofWords =
  | { readonly kind: 'report'; readonly report: ProofReport }
  /** The restored etcd rejects the login. */
  | { readonly kind: 'loginRefused'; readonly why: string }
  /** The received file is not a readable database. */
  | { readonly kind: 'unreadable'; readonly why: string }
  /** etcd did not serve the database, or stopped serving it. */
  | { readonly kind: 'notServing'; readonly why: string };

/** Kubernetes truncates longer termination messages. */
const longest = 4_000;
const mostMembers = 20;

export function renderWords(words: ProofWords): string {
  if (words.kind !== 'report') return JSON.stringify({ ...words, why: words.why.slice(0, 1_000) });
  const members = words.report.members.slice(0, mostMembers).map((name) => name.slice(0, 100));
  return JSON.stringify({ ...words, report: { ...words.report, members } }).slice(0, longest);
}

/** Parses the termination message from the pod's status; undefined if an agent did not write it. */
export function readWords(text: string): ProofWords | undefined {
  const said = parsed(text);
  if (!isFields(said)) return undefined;
  const [kind, why] = [said['kind'], said['why']];
  if (kind === 'loginRefused' || kind === 'unreadable' || kind === 'notServing')
    return { kind, why: String(why).slice(0, 1_000) };
  const report = kind === 'report' ? readReport(said['report']) : undefined;
  return report && { kind: 'report', report };
}

function readReport(value: unknown): ProofReport | undefined {
  if (!isFields(value)) return undefined;
  const { etcdVersion, clusterId, members } = value;
  const [file, served] = [readFigures(value['file']), readFigures(value['served'])];
  if (!file || !served || typeof etcdVersion !== 'string' || typeof clusterId !== 'string') return undefined;
  if (!Array.isArray(members)) return undefined;
  return { file, served, etcdVersion: etcdVersion.slice(0, 64), clusterId, members: members.map(String) };
}

function readFigures(value: unknown): ProofFigures | undefined {
  if (!isFields(value)) return undefined;
  const { revision, compactRevision, keys, hash } = value;
  if (!isCount(revision) || !isCount(compactRevision) || !isCount(keys) || !isCount(hash)) return undefined;
  return { revision, compactRevision, keys, hash };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
