// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf, successOf } from '../../answer.ts';
import { invalid } from '../../invalid.ts';
import { baseObjects } from '../../refusals/base-objects.ts';
import { refusedContainers } from '../../refusals/containers.ts';
import { refusedPods } from '../../refusals/pods.ts';
import type { Refused } from '../../refusals/refused.ts';
import { refusedServices } from '../../refusals/services.ts';
import { refusedSmallKinds } from '../../refusals/small-kinds.ts';
import { refusedWorkloads } from '../../refusals/workloads.ts';
import type { Case, Subject } from '../../trial.ts';

type Fields = Record<string, unknown>;

/** A copy of an object with one field changed or, for `undefined`, without it. */
function changed(object: object, path: string, value: unknown): object {
  const copy = structuredClone(object) as Fields;
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let at = copy;
  for (const key of keys) at = at[key] as Fields;
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}

/** A case: the valid object is accepted, the changed one refused with exactly these errors. */
function caseOf({ of, change, error }: Refused): Case {
  return async (t) => {
    const { path, kind, object } = baseObjects[of](await t.podNamespace());
    successOf(await t.post(`${path}?dryRun=All`, object));
    const spoilt = Object.entries(change).reduce((whole, [field, value]) => changed(whole, field, value), object);
    const { name } = (spoilt as { metadata: { name: string } }).metadata;
    expect(refusalOf(await t.post(`${path}?dryRun=All`, spoilt))).toEqual(invalid(kind, name, ...[error].flat()));
  };
}

const rows = [...refusedPods, ...refusedContainers, ...refusedWorkloads, ...refusedServices, ...refusedSmallKinds];

/** Common mistakes of users, one at a time. */
export const refusals: Subject = {
  name: 'refusals',
  cases: Object.fromEntries(rows.map((row) => [row.says, caseOf(row)])),
};
