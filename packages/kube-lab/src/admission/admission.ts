// SPDX-License-Identifier: Apache-2.0
import { escalationCheck } from '../authz/escalation.ts';
import type { AdmissionRequest, AdmissionStep } from './admission-request.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import {
  claimResize,
  defaultStorageClass,
  defaultTolerations,
  priorityAdmission,
  runtimeClassAdmission,
  storageProtection,
  systemClassAdmission,
} from './pod-defaulting.ts';
import { podSecurity } from './pod-security/pod-security.ts';
import { serviceAccountAdmission } from './service-account.ts';
import { callMutatingWebhooks, callValidatingWebhooks } from './webhooks.ts';

const mutating: readonly AdmissionStep[] = [
  namespaceLifecycle,
  escalationCheck,
  serviceAccountAdmission,
  priorityAdmission,
  runtimeClassAdmission,
  systemClassAdmission,
  defaultTolerations,
  defaultStorageClass,
  storageProtection,
  claimResize,
];

/** The steps before validation: they may change the object. Returns a promise only if webhooks must be called. */
export function admitMutating(request: AdmissionRequest): Promise<void> | undefined {
  for (const step of mutating) step(request);
  return callMutatingWebhooks(request);
}

/** The steps after validation: they may only refuse the object. */
export function admitValidating(request: AdmissionRequest): Promise<void> | undefined {
  podSecurity(request);
  return callValidatingWebhooks(request);
}
