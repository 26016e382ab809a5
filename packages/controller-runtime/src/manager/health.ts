// SPDX-License-Identifier: Apache-2.0

/** A health check: nothing if healthy, otherwise the problem in words. */
export type HealthCheck = () => string | undefined;

/** The result of a set of checks. */
export interface HealthReport {
  readonly ok: boolean;
  /** One line per check, as Kubernetes components print them. */
  readonly text: string;
}

/** Runs all checks. A check that throws counts as failed. */
export function runChecks(checks: ReadonlyMap<string, HealthCheck>): HealthReport {
  const lines: string[] = [];
  let ok = true;
  for (const [name, check] of checks) {
    const wrong = outcome(check);
    if (wrong !== undefined) ok = false;
    lines.push(wrong === undefined ? `[+]${name} ok` : `[-]${name} failed: ${wrong}`);
  }
  lines.push(ok ? 'check passed' : 'check failed');
  return { ok, text: `${lines.join('\n')}\n` };
}

function outcome(check: HealthCheck): string | undefined {
  try {
    return check();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
