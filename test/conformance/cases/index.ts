// SPDX-License-Identifier: Apache-2.0
/** All subjects of the suite, in the order in which they are printed. */
import type { Subject } from '../trial.ts';
import { conversion } from './custom/conversion.ts';
import { customObjects } from './custom/custom-objects.ts';
import { definitions } from './custom/definitions.ts';
import { rules } from './custom/rules.ts';
import { deletion } from './objects/deletion.ts';
import { dryRuns } from './objects/dry-run.ts';
import { garbage } from './objects/garbage.ts';
import { generateName } from './objects/generate-name.ts';
import { keptKinds } from './objects/kept-kinds.ts';
import { leasesAndEvents } from './objects/leases-and-events.ts';
import { metadata } from './objects/metadata.ts';
import { namespaceLifecycle } from './objects/namespaces.ts';
import { objects } from './objects/objects.ts';
import { subresources } from './objects/subresources.ts';
import { afterClientSideApply } from './patching/after-client-side-apply.ts';
import { applying } from './patching/apply.ts';
import { managedFields } from './patching/managed-fields.ts';
import { patches } from './patching/patches.ts';
import { strategicPatches } from './patching/strategic-patches.ts';
import { discovery } from './reading/discovery.ts';
import { expiredHistory } from './reading/expired-history.ts';
import { http } from './reading/http.ts';
import { paging } from './reading/paging.ts';
import { proxies } from './reading/proxies.ts';
import { resourceVersions } from './reading/resource-versions.ts';
import { selectors } from './reading/selectors.ts';
import { tables } from './reading/tables.ts';
import { watching } from './reading/watching.ts';
import { access } from './security/access.ts';
import { admission } from './security/admission.ts';
import { identity } from './security/identity.ts';
import { podSecurity } from './security/pod-security.ts';
import { config } from './workloads/config.ts';
import { podChanges } from './workloads/pod-changes.ts';
import { pods } from './workloads/pods.ts';
import { refusals } from './workloads/refusals.ts';
import { services } from './workloads/services.ts';
import { volumes } from './workloads/volumes.ts';
import { workloads } from './workloads/workloads.ts';

export const subjects: readonly Subject[] = [
  http,
  discovery,
  objects,
  metadata,
  generateName,
  deletion,
  selectors,
  paging,
  proxies,
  resourceVersions,
  watching,
  expiredHistory,
  tables,
  patches,
  strategicPatches,
  afterClientSideApply,
  applying,
  managedFields,
  afterClientSideApply,
  definitions,
  customObjects,
  conversion,
  rules,
  subresources,
  dryRuns,
  access,
  identity,
  admission,
  config,
  services,
  pods,
  podChanges,
  podSecurity,
  workloads,
  volumes,
  keptKinds,
  leasesAndEvents,
  keptKinds,
  namespaceLifecycle,
  garbage,
  proxies,
  refusals,
];
