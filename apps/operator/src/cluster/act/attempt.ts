// SPDX-License-Identifier: Apache-2.0
import { isKubeError } from '@operator-parts/kube';
import type { Step } from '../plan/step.ts';
import { act } from './act.ts';
import type { ActContext, StepOutcome } from './act-context.ts';
import { PlanTooOld } from './plan-age.ts';

/** How a step ended, failures included. */
export type Attempt = StepOutcome | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Carries out a step, unless the plan is too old. A request that the API server rejects as invalid or forbidden stays rejected until the
 * spec or the permissions change; any other failure may be temporary.
 */
export async function attempt(step: Step, context: ActContext): Promise<Attempt> {
  try {
    context.fence();
    return await act(step, context);
  } catch (error) {
    if (context.signal.aborted) throw error;
    if (error instanceof PlanTooOld) return { kind: 'refused', why: error.message };
    if (isKubeError(error, 'Invalid', 'Forbidden', 'BadRequest'))
      return {
        kind: 'impossible',
        why: `the API server refused the request: ${error.status?.message ?? error.message}`,
      };
    return { kind: 'failed', error };
  }
}
