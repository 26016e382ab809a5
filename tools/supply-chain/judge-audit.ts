// SPDX-License-Identifier: Apache-2.0

/** The used part of `npm audit --json`. */
export interface AuditReport {
  readonly vulnerabilities: Readonly<Record<string, { readonly via: readonly (string | Advisory)[] }>>;
}

interface Advisory {
  readonly url: string;
  readonly title: string;
  readonly severity: string;
}

/** A known vulnerability that does not block a release until a date, with the reason. */
export interface Exception {
  /** URL of the advisory. */
  readonly advisory: string;
  readonly because: string;
  /** The last valid day, such as 2026-12-31. */
  readonly until: string;
}

/**
 * The reasons against a release, one line each: every advisory for a shipped package without an exception, and every
 * exception that has expired or is no longer needed.
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
