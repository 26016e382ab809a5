// SPDX-License-Identifier: Apache-2.0
/**
 * The generated parts of deploy/ and example/: CRDs from the declared kinds, roles from the one table of rights, the
 * operator's Deployment, the one-file install, kustomizations, and parts of the Helm chart. `npm run generate` writes
 * them.
 */
export { memberAlerts, operatorAlerts } from './monitoring/alerts.ts';
export { policyRules } from './policy-rules.ts';
export { type Place, type ProgramName, type Right, rights } from './rights.ts';
