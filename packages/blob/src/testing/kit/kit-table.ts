// SPDX-License-Identifier: Apache-2.0

/** The faults of the kit: what happens, and the required result. */
export const kitRows = {
  'cut at any request of a put': 'stored, proven; nothing left behind',
  'cut or refused at every part': 'an error; what was there stays, nothing is left behind',
  'answers to parts lost': 'stored, or an error and nothing left behind',
  'finish never arrives': 'an error that says it was not stored',
  'finish done, its answers lost': 'stored, proven',
  'no answer at all': 'tried again when its time is over',
  '200 from something else (HTML, empty, JSON, an error in XML)':
    'never taken for success: not of a put, read, listing, look or deletion',
  'byte changed on the way there': 'sent again, or an error and no damaged object',
  'byte changed while reading': '`get` with `sha256` ends with an error; a read-back reads again',
  'store without checksums': 'read back; if it is another object, an error, and it is deleted',
  'store takes nothing (308 without progress)': 'an error after a few requests',
  'look denied (403 on HEAD)': '`put` and `get` work; `stat` asks with a read',
  'look tells another length': 'read back',
  'credentials expire': '`Expired`, asked once; nothing left behind',
  'refused, throttled, skewed, full': 'the code for it; tried again only if that helps',
  redirect: 'not followed; nothing goes to the other host',
  'error without end': 'read up to 64 KiB (of Azure, errors of reads: until its time is over)',
  'read cut': 'goes on at the same byte of the same object',
  'read cut, then 416': 'an error',
  'range answered in part': 'goes on after it',
  'range from another byte': 'an error',
  'range ignored': 'no more than was asked for, or an error',
  'all of it answered in part': 'an error',
  trickle: '`Timeout` by the slowest pace',
  'object replaced while read': 'an error; two objects are never mixed',
  'listing repeats a page, runs backwards or has no end': '`BadListing` after a few requests',
  'listing cut, refused, unanswered': 'tried again; then an error, never an empty list',
  'clean-up fails': '`sweep` of the prefix ends what was left',
  'looking for unfinished uploads denied': '`put` works; `clear` says that it was refused',
  'the caller abandons a read, a write or a listing': 'no uncaught error, as in every other row',
} as const;

export type KitRow = keyof typeof kitRows;
export type KitStore = 'S3' | 'OSS' | 'Azure' | 'GCS' | 'directory';

const noNetwork = 'no network between';
const dropsItself = 'the store drops them itself';
const wholeParts = 'parts are taken whole';

/** Faults that a store cannot have, and why. */
const notApplicable: Readonly<Record<KitStore, Readonly<Partial<Record<KitRow, string>>>>> = {
  S3: { 'store takes nothing (308 without progress)': wholeParts },
  OSS: { 'store takes nothing (308 without progress)': wholeParts },
  Azure: {
    'store takes nothing (308 without progress)': wholeParts,
    'clean-up fails': dropsItself,
    'looking for unfinished uploads denied': dropsItself,
  },
  GCS: { 'clean-up fails': dropsItself, 'looking for unfinished uploads denied': dropsItself },
  directory: {
    'cut at any request of a put': noNetwork,
    'cut or refused at every part': noNetwork,
    'answers to parts lost': noNetwork,
    'finish never arrives': noNetwork,
    'finish done, its answers lost': noNetwork,
    '200 from something else (HTML, empty, JSON, an error in XML)': noNetwork,
    'store takes nothing (308 without progress)': wholeParts,
    'look denied (403 on HEAD)': 'looking is opening',
    'look tells another length': 'it is the file’s own',
    'credentials expire': 'there are none',
    redirect: noNetwork,
    'error without end': noNetwork,
    'read cut': noNetwork,
    'read cut, then 416': noNetwork,
    'range answered in part': noNetwork,
    'range from another byte': noNetwork,
    'range ignored': noNetwork,
    'all of it answered in part': noNetwork,
    'byte changed on the way there': 'no network between; see the store without checksums',
    trickle: 'see no answer at all',
    'listing repeats a page, runs backwards or has no end': 'it is made here',
    'listing cut, refused, unanswered': 'see no answer at all',
    'looking for unfinished uploads denied': 'who may store may look',
  },
};

/** The rows that a store must pass. */
export function rowsOf(store: KitStore): readonly KitRow[] {
  return (Object.keys(kitRows) as KitRow[]).filter((row) => notApplicable[store][row] === undefined);
}

/** The table of the README: a store passes every row that its test runs. */
export function renderKitTable(): readonly string[][] {
  const stores = Object.keys(notApplicable) as KitStore[];
  const rows = Object.entries(kitRows).map(([row, means]) => [
    row,
    means,
    ...stores.map((store) => {
      const reason = notApplicable[store][row as KitRow];
      return reason === undefined ? 'passes' : `does not apply: ${reason}`;
    }),
  ]);
  return [['fault', 'what must be the case', ...stores.map((store) => store)], ...rows];
}
