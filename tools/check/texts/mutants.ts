// SPDX-License-Identifier: Apache-2.0
import { type Mutant, whyStale } from '../../mutants/mutant.ts';
import { mutants } from '../../mutants/mutants.ts';
import { pagePath, rowsOf } from '../../mutants/page.ts';
import type { Check } from '../check.ts';

const list = 'tools/mutants/mutants.ts';

/** Every mutant of `npm run test:mutants` must still match its source, and the page of results, once there is one, names each and no other. */
export const mutantsFit: Check = {
  name: 'mutants fit the source',
  async run(tree) {
    if (!tree.has(list)) return { problems: [], notes: [`no mutants (${list})`] };
    const twins = mutants.filter(({ name }, index) => mutants.findIndex((other) => other.name === name) !== index);
    const recorded = rowsOf(tree.has(pagePath) ? tree.read(pagePath) : '');
    // Before the first complete run there is no page.
    const unrecorded = tree.has(pagePath) ? mutants.filter(({ name }) => !recorded.has(name)) : [];
    const gone = [...recorded.keys()].filter((name) => mutants.every((mutant) => mutant.name !== name));
    const why = (mutant: Mutant) => whyStale(mutant, tree.has(mutant.file) ? tree.read(mutant.file) : undefined);
    return {
      problems: [
        ...twins.map(({ name }) => ({
          rule: 'mutant-named-twice',
          file: list,
          message: `two mutants are called "${name}"`,
        })),
        ...[...unrecorded.map(({ name }) => name), ...gone].map((name) => ({
          rule: 'mutant-not-recorded',
          file: pagePath,
          message: `npm run test:mutants -- --record has not been run since mutant "${name}" was added or removed`,
        })),
        ...mutants.flatMap((mutant) => {
          const stale = why(mutant);
          const message = `mutant "${mutant.name}" breaks nothing any more, because ${stale}: let it break the source as it is now`;
          return stale === undefined ? [] : [{ rule: 'stale-mutant', file: list, message }];
        }),
      ],
    };
  },
};
