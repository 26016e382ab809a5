// SPDX-License-Identifier: Apache-2.0
import { inAreas } from './area.ts';
import { prepareControlPlane, prepareLab } from './lab-needs.ts';
import { otherEtcds, projectOn } from './other-etcds.ts';
import { realControlPlane } from './real-control-plane.ts';
import { runTests } from './run-tests.ts';
import { readTestArguments } from './test-arguments.ts';

/**
 * `npm run test:long [-- area ...]`: tests that are too slow for every change, in files `*.long.test.ts`. An area is a
 * folder or the name of a file. Options of vitest begin with a dash. The area `real-control-plane` is lab tests against a
 * real control plane, the areas `on-etcd-3.5` and `on-etcd-3.7` are lab tests with another etcd.
 */
const usage = {
  command: 'npm run test:long',
  help: `npm run test:long -- [AREA ...] [options]

Runs what takes too long for every change. An area is a folder or the name of a file; write options as --name=value.
The area real-control-plane runs the lab's tests of faults on a real kube-apiserver with its controllers and scheduler.
The areas on-etcd-3.5 and on-etcd-3.7 run the lab's tests of recoveries, proofs and restores with another etcd.
`,
};
const args = readTestArguments(usage);
const areas = args.filter((arg) => !arg.startsWith('-'));

await runTests({
  projects: ['long', realControlPlane, ...otherEtcds.map(projectOn)],
  args: args.filter((arg) => arg.startsWith('-')),
  select: inAreas(areas),
  allowNone: areas.length === 0,
  prepare: async (files, project) => {
    await prepareLab(files);
    if (project === realControlPlane) await prepareControlPlane();
  },
});
