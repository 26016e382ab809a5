// SPDX-License-Identifier: Apache-2.0
import { prepareLab } from './lab-needs.ts';
import { runTests } from './run-tests.ts';
import { workspaceFilter } from './workspace-filter.ts';

/**
 * `npm test`: everything that needs no root and no Kubernetes build. `npm test -- packages/kube` and `npm test -- -t name`
 * narrow it, as does `npm test -w packages/kube`.
 */
await runTests({
  projects: ['unit', 'lab'],
  args: process.argv.slice(2),
  select: workspaceFilter(process.env),
  prepare: prepareLab,
});
