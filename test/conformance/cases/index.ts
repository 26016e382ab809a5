// SPDX-License-Identifier: Apache-2.0
/** All subjects of the suite, in the order in which they are printed. */
import type { Subject } from '../trial.ts';
import { access } from './access.ts';
import { admission } from './admission.ts';
import { applying } from './apply.ts';
import { config } from './config.ts';
import { conversion } from './conversion.ts';
import { customObjects } from './custom-objects.ts';
import { definitions } from './definitions.ts';
import { deletion } from './deletion.ts';
import { discovery } from './discovery.ts';
import { dryRuns } from './dry-run.ts';
import { expiredHistory } from './expired-history.ts';
import { garbage } from './garbage.ts';
import { generateName } from './generate-name.ts';
import { http } from './http.ts';
import { identity } from './identity.ts';
import { leasesAndEvents } from './leases-and-events.ts';
import { managedFields } from './managed-fields.ts';
import { metadata } from './metadata.ts';
import { namespaceLife } from './namespaces.ts';
import { objects } from './objects.ts';
import { paging } from './paging.ts';
import { patches } from './patches.ts';
import { podChanges } from './pod-changes.ts';
import { podSecurity } from './pod-security.ts';
import { pods } from './pods.ts';
import { refusals } from './refusals.ts';
import { resourceVersions } from './resource-versions.ts';
import { rules } from './rules.ts';
import { selectors } from './selectors.ts';
import { services } from './services.ts';
import { strategicPatches } from './strategic-patches.ts';
import { subresources } from './subresources.ts';
import { tables } from './tables.ts';
import { volumes } from './volumes.ts';
import { watching } from './watching.ts';
import { workloads } from './workloads.ts';

export const subjects: readonly Subject[] = [
  http,
  discovery,
  objects,
  metadata,
  generateName,
  deletion,
  selectors,
  paging,
  resourceVersions,
  watching,
  expiredHistory,
  tables,
  patches,
  strategicPatches,
  applying,
  managedFields,
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
  leasesAndEvents,
  namespaceLife,
  garbage,
  refusals,
];
