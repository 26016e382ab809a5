// SPDX-License-Identifier: Apache-2.0
import { counted } from '@etcd-operator/operator';
import type { Finding, Urgency } from '../doctor/finding.ts';
import type { Report } from './print.ts';

const words: Readonly<Record<Urgency, string>> = { now: 'NOW', soon: 'SOON', later: 'LATER' };

/** The findings, the most urgent first: the problem, the reason, and what to do. */
export function doctorReport(findings: readonly Finding[], clusters: number): Report {
  return {
    data: { clusters, findings },
    lines: () => (findings.length === 0 ? [`No problem found in ${counted(clusters, 'cluster')}.`] : linesOf(findings)),
  };
}

function linesOf(findings: readonly Finding[]): readonly string[] {
  return findings
    .flatMap(({ urgency, object, namespace, what, why, todo }) => [
      `${words[urgency].padEnd(5)}  ${object} -n ${namespace}: ${what}`,
      ...(why === '' ? [] : [`       why:   ${why}`]),
      `       to do: ${todo}`,
      '',
    ])
    .slice(0, -1);
}
