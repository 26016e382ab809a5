// SPDX-License-Identifier: Apache-2.0

type Fields = Readonly<Record<string, unknown>>;

/** What turns one status into the other as a merge patch, which removes a field only if it is told so. */
export function statusPatch(previous: object | undefined, next: object): object {
  return withRemovals({ ...previous }, { ...next });
}

function withRemovals(previous: Fields, next: Fields): Fields {
  const gone = Object.keys(previous).filter((key) => !Object.hasOwn(next, key));
  const kept = Object.entries(next).map(([key, value]) => {
    const old = previous[key];
    return [key, isFields(value) && isFields(old) ? withRemovals(old, value) : value];
  });
  return Object.fromEntries([...kept, ...gone.map((key) => [key, null])]);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
