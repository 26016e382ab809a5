// SPDX-License-Identifier: Apache-2.0
import type { PodGrants } from '../../cluster/grants/pod-grants.ts';

/** The administrator allows everything. */
export const everyGrant: PodGrants = { privileged: 'all', repositories: [], sidecars: 'all', serviceAccounts: 'all' };
