// SPDX-License-Identifier: Apache-2.0
import { posix } from 'node:path';

/** The tests that could detect a mutant of a file. */
export interface Witnesses {
  /** Specific tests: the test beside the file, and tables of situations that name each rule. */
  readonly own: readonly string[];
  /** Models, random runs, and tests of everything that uses the file. */
  readonly others: readonly string[];
  /** The operator as a whole in a simulated world. */
  readonly simulation: readonly string[];
}

const operator = 'apps/operator/src';

/** Which folders use which, and which tests are specific. The first match counts. */
const areas: readonly {
  readonly of: string;
  readonly seenBy: readonly string[];
  readonly tables: readonly string[];
}[] = [
  {
    of: `${operator}/safety/`,
    seenBy: [`${operator}/cluster/plan/`, `${operator}/restore/`, 'apps/kubectl-etcd/src/plan/'],
    tables: [`${operator}/safety/`],
  },
  {
    of: `${operator}/cluster/plan/`,
    seenBy: [`${operator}/cluster/plan/`, `${operator}/walk/`, 'apps/kubectl-etcd/src/plan/'],
    tables: [`${operator}/cluster/plan/situations.test.ts`],
  },
  {
    of: `${operator}/cluster/`,
    seenBy: [
      `${operator}/cluster/`,
      `${operator}/walk/`,
      `${operator}/all-operators.test.ts`,
      `${operator}/cluster-operator.test.ts`,
    ],
    tables: [],
  },
  {
    of: `${operator}/restore/plan/`,
    seenBy: [`${operator}/restore/`],
    tables: [`${operator}/restore/plan/plan.test.ts`],
  },
  { of: `${operator}/restore/`, seenBy: [`${operator}/restore/`], tables: [] },
  { of: `${operator}/backup/`, seenBy: [`${operator}/backup/`, `${operator}/storage/`], tables: [] },
  { of: `${operator}/`, seenBy: [`${operator}/cluster/`, `${operator}/restore/`, `${operator}/backup/`], tables: [] },
  {
    of: 'packages/etcd/src/snapshot/',
    seenBy: ['packages/etcd/src/', `${operator}/restore/`, `${operator}/backup/`],
    tables: [],
  },
  { of: 'packages/etcd/src/', seenBy: ['packages/etcd/src/rules/', `${operator}/cluster/plan/`], tables: [] },
  {
    of: 'packages/controller-runtime/src/leader-election/',
    seenBy: [
      'packages/controller-runtime/src/leader-election/',
      'packages/controller-runtime/src/manager/',
      'packages/controller-runtime/src/controller/',
    ],
    tables: [],
  },
  {
    of: 'packages/controller-runtime/src/',
    seenBy: ['packages/controller-runtime/src/', `${operator}/cluster/act/`],
    tables: [],
  },
];

/** Tests without processes; with `lab`, also the lab tests of the same folders. */
export function testsFor(file: string, all: readonly string[], options: { readonly lab: boolean }): Witnesses {
  const area = areas.find(({ of }) => file.startsWith(of));
  const beside = file.replace(/\.ts$/, '.test.ts');
  const isOwn = (test: string) => test === beside || (area?.tables.some((table) => test.startsWith(table)) ?? false);
  const seenBy = area?.seenBy ?? [`${posix.dirname(file)}/`];
  const isOfTier = (test: string) => isFast(test) || (options.lab && test.endsWith('.lab.test.ts'));
  const seeing = all.filter((test) => isOfTier(test) && seenBy.some((folder) => test.startsWith(folder)));
  return {
    own: all.filter((test) => isOwn(test) && isFast(test)),
    others: seeing.filter((test) => !isOwn(test)),
    simulation: all.filter((test) => test.startsWith('test/simulation/') && isFast(test)),
  };
}

function isFast(file: string): boolean {
  return /\.test\.ts$/.test(file) && !/\.(lab|long|conformance|e2e)\.test\.ts$/.test(file);
}
