// SPDX-License-Identifier: Apache-2.0
import { inAreas } from './area.ts';
import { prepareLab } from './lab-needs.ts';
import { runTests } from './run-tests.ts';
import { readTestArguments } from './test-arguments.ts';

/**
 * `npm run test:long [-- area ...]`: tests that are too slow for every change, in files `*.long.test.ts`. An area is a
 * folder or the name of a file. Options of vitest begin with a dash.
 */
const usage = {
  command: 'npm run test:long',
  help: `npm run test:long -- [AREA ...] [options]

Runs what takes too long for every change. An area is a folder or the name of a file; write options as --name=value.
`,
};
const args = readTestArguments(usage);
const areas = args.filter((arg) => !arg.startsWith('-'));

await runTests({
  projects: ['long'],
  args: args.filter((arg) => arg.startsWith('-')),
  select: inAreas(areas),
  allowNone: areas.length === 0,
  prepare: (files) => prepareLab(files),
});
