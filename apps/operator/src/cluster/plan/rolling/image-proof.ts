// SPDX-License-Identifier: Apache-2.0
import type { Assessment, MemberView } from '../assessment.ts';
import { later, type Proposal, takeAll, waitFor } from '../proposal.ts';
import type { PlannedStep } from '../step.ts';

/**
 * Tests the image on the node of each member before any member is stopped: a temporary pod pulls the image and prints its etcd version
 * (operator rule 6).
 */
export function proveImages(
  { observation, desired }: Assessment,
  outdated: readonly MemberView[],
): Proposal | undefined {
  const checks = observation.imageChecks.filter((check) => check.image === desired.image);
  const nodes = [...new Set(outdated.map((view) => view.pod?.node ?? ''))].filter((node) => node !== '').sort();
  const missing = nodes.filter((node) => !checks.some((check) => check.node === node));
  const steps = missing.map(
    (node): PlannedStep => ({
      step: { do: 'checkImage', node, image: desired.image },
      reason: `Checking image ${desired.image} on node ${node}: pulling and running the image once before a member uses it.`,
    }),
  );
  if (steps.length > 0) return takeAll(steps);
  const pending = checks.find((check) => check.result === 'pending' && nodes.includes(check.node));
  return pending && waitFor(`Waiting for image ${desired.image} to be pulled on node ${pending.node}.`, later);
}
