// SPDX-License-Identifier: Apache-2.0
import { type EtcdVersion, isAtLeast, versionOf } from '../versions/version.ts';

/** Where etcd serves `/metrics` and the health endpoints in plain text, for probes and scrapers (operator rule 15). */
export const metricsPort = 2381;

/** The probe of a kubelet. `tcp` connects to the client port. */
export type ProbeTarget = { readonly kind: 'http'; readonly path: string } | { readonly kind: 'tcp' };

/** The probes that a version can answer without side effects (etcd fact 7). */
export interface ProbePlan {
  readonly startup: ProbeTarget;
  readonly readiness: ProbeTarget;
  readonly liveness: ProbeTarget;
}

const livez: ProbeTarget = { kind: 'http', path: '/livez' };
const readyz: ProbeTarget = { kind: 'http', path: '/readyz' };
const tcp: ProbeTarget = { kind: 'tcp' };

/** True if `/livez` and `/readyz` exist: from 3.4.29, 3.5.11 and 3.6.0 on. */
export function hasLivez(version: EtcdVersion): boolean {
  return isFromPatch(version, '3.4.29', '3.5.11', '3.6.0');
}

/** True if `/readyz` fails on a learner (`non_learner`), so that clients do not use it: from 3.5.19 and 3.6.0 on. */
export function readyzExcludesLearners(version: EtcdVersion): boolean {
  return isFromPatch(version, undefined, '3.5.19', '3.6.0');
}

/**
 * The endpoints to probe (operator rules 3, 12, 15). Readiness is `/readyz` only if it fails on learners; never
 * `/health`, because each GET adds an entry to the log of 3.4 and older. Liveness never depends on quorum.
 */
export function probePlan(version: EtcdVersion): ProbePlan {
  if (!hasLivez(version)) return { startup: tcp, readiness: tcp, liveness: tcp };
  // On 3.4 members never join as learners.
  const readiness = version.minor === 4 || readyzExcludesLearners(version) ? readyz : tcp;
  return { startup: livez, readiness, liveness: livez };
}

/** True if `version` is at least the given patch of its own series, or belongs to a newer series than the last one. */
function isFromPatch(version: EtcdVersion, in34: string | undefined, in35: string, from36: string): boolean {
  if (version.minor === 4) return in34 !== undefined && isAtLeast(version, versionOf(in34));
  if (version.minor === 5) return isAtLeast(version, versionOf(in35));
  return isAtLeast(version, versionOf(from36));
}
