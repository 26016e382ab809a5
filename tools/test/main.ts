// SPDX-License-Identifier: Apache-2.0
import { prepareLab } from './lab-needs.ts';
import { runTests } from './run-tests.ts';
import { readTestArguments } from './test-arguments.ts';
import { workspaceFilter } from './workspace-filter.ts';

/**
 * `npm test`: all tests without root and without a Kubernetes build. `npm test -- packages/kube` and `npm test -- -t
 * name` restrict it, as does `npm test -w packages/kube`.
 */
const usage = {
  command: 'npm test',
  help: `npm test -- [PATH ...] [options]

Runs everything that needs no root and no build of Kubernetes. Parts of paths choose files: npm test -- packages/kube
`,
};

await runTests({
  projects: ['unit', 'lab'],
  args: readTestArguments(usage),
  select: workspaceFilter(process.env),
  prepare: prepareLab,
});
