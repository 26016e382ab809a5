// SPDX-License-Identifier: Apache-2.0

/** What `npm audit --json` says, as far as it is read. */
export interface AuditReport {
  readonly vulnerabilities: Readonly<Record<string, { readonly via: readonly (string | Advisory)[] }>>;
}

interface Advisory {
  readonly url: string;
  readonly title: string;
  readonly severity: string;
}

/** A known vulnerability that does not hold up a release until a day, with the reason. */
export interface Exception {
  /** Address of the advisory. */
  readonly advisory: string;
  readonly because: string;
  /** The last day it holds, as 2026-12-31. */
  readonly until: string;
}

/**
 * What stands against a release, a line each: every advisory for a package that is shipped and that has no exception, and every
 * exception that has run out or that nothing needs any more.
 */
export function judgeAudit(report: AuditReport, exceptions: readonly Exception[], today: string): readonly string[] {
  const found = new Map<string, string>();
  for (const [name, { via }] of Object.entries(report.vulnerabilities)) {
    for (const cause of via) {
      if (typeof cause === 'object') found.set(cause.url, `${name}: ${cause.title} (${cause.severity}), ${cause.url}`);
    }
  }
  const held = exceptions.filter(({ until }) => until >= today);
  const open = [...found].filter(([url]) => !held.some(({ advisory }) => advisory === url));
  return [
    ...open.map(([, line]) => line),
    ...exceptions
      .filter(({ advisory }) => !found.has(advisory))
      .map(({ advisory }) => `the exception for ${advisory} is not needed any more: delete it`),
  ];
}
