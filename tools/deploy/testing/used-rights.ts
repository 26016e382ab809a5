// SPDX-License-Identifier: Apache-2.0
import type { Right } from '../rights.ts';

/** One kind of call that a service account has made. */
export interface RecordedCall {
  readonly account: string;
  readonly verb: string;
  readonly group: string;
  /** `pods`, or `pods/log`. */
  readonly resource: string;
  /** The name of the object, if any. */
  readonly name: string;
  readonly isForbidden: boolean;
}

function fits(right: Right, { group, resource, name }: RecordedCall): boolean {
  // A list or a watch names no object: rights for certain names do not allow it.
  return right.group === group && right.resource === resource && (!right.names || right.names.includes(name));
}

/** Calls that no line of the table allows, except queries of one's own rights: `system:basic-user` allows those. */
export function unknownCalls(calls: readonly RecordedCall[], table: readonly Right[]): readonly RecordedCall[] {
  return calls.filter(
    (call) =>
      call.resource !== 'selfsubjectaccessreviews' &&
      !table.some((right) => fits(right, call) && right.verbs.some((verb) => verb === call.verb)),
  );
}

/** Calls that the API server has refused. */
export function refusedCalls(calls: readonly RecordedCall[]): readonly RecordedCall[] {
  return calls.filter(({ isForbidden }) => isForbidden);
}

/** Verbs of the table that were not used, except the rarely needed ones. */
export function idleVerbs(calls: readonly RecordedCall[], table: readonly Right[]): readonly string[] {
  return table.flatMap((right) => {
    const used = new Set(calls.filter((call) => fits(right, call)).map(({ verb }) => verb));
    const idle = right.verbs.filter((verb) => !used.has(verb) && right.rarely?.[verb] === undefined);
    return idle.map((verb) => `${verb} ${right.group}/${right.resource}`);
  });
}
