// SPDX-License-Identifier: Apache-2.0

/** The faults of the kit: what happens, and the required result. */
export const kitRows = {
  'cut at any request of a put': 'stored and verified; nothing is left behind',
  'cut or refused at every part': 'an error; the previous object stays, nothing is left behind',
  'answers to parts lost': 'stored, or an error; nothing is left behind',
  'finish never arrives': 'an error that says that the object was not stored',
  'finish done, its answers lost': 'stored and verified',
  'no answer at all': 'retried after the time limit of the request',
  '200 from something else (HTML, empty, JSON, an error in XML)': 'never counts as success, for any call',
  'byte changed on the way there': 'sent again, or an error; no damaged object is left',
  'byte changed while reading': '`get` with `sha256` ends with an error; a read-back is repeated',
  'store without checksums': 'the object is read back; if it differs, it is deleted, and the put ends with an error',
  'store takes nothing (308 without progress)': 'an error after a few requests',
  'look denied (403 on HEAD)': '`put` and `get` work; `stat` uses a read instead',
  'look tells another length': 'the object is read back',
  'credentials expire': '`Expired` after one request; nothing is left behind',
  'refused, throttled, skewed, full': 'the matching error code; retried only if that helps',
  redirect: 'not followed; nothing is sent to the other host',
  'error without end': 'read up to 64 KiB (errors of reads from Azure: until the time limit)',
  'read cut': 'continues at the same byte of the same object',
  'read cut, then 416': 'an error',
  'range answered in part': 'continues after the received bytes',
  'range from another byte': 'an error',
  'range ignored': 'only the requested bytes, or an error',
  'all of it answered in part': 'an error',
  trickle: '`Timeout`, because it is slower than the minimum speed',
  'object replaced while read': 'an error; bytes of two objects are never mixed',
  'listing repeats a page, runs backwards or has no end': '`BadListing` after a few requests',
  'listing cut, refused, unanswered': 'retried; then an error, never an empty list',
  'clean-up fails': '`sweep` of the prefix ends the uploads that were left',
  'looking for unfinished uploads denied': '`put` works; `clear` returns `refused`',
  'the caller abandons a read, a write or a listing': 'no uncaught error, as in every other row',
} as const;

export type KitRow = keyof typeof kitRows;
export type KitStore = 'S3' | 'OSS' | 'Azure' | 'GCS' | 'directory';

const noNetwork = 'no network is used';
const dropsItself = 'the store removes unfinished uploads itself';
const wholeParts = 'the store accepts a part completely or not at all';

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
    'look denied (403 on HEAD)': '`stat` needs the same permissions as a read',
    'look tells another length': 'the file system reports the length',
    'credentials expire': 'there are no credentials',
    redirect: noNetwork,
    'error without end': noNetwork,
    'read cut': noNetwork,
    'read cut, then 416': noNetwork,
    'range answered in part': noNetwork,
    'range from another byte': noNetwork,
    'range ignored': noNetwork,
    'all of it answered in part': noNetwork,
    'byte changed on the way there': 'no network is used; see "store without checksums"',
    trickle: 'see "no answer at all"',
    'listing repeats a page, runs backwards or has no end': 'this package creates the listing',
    'listing cut, refused, unanswered': 'see "no answer at all"',
    'looking for unfinished uploads denied': 'a user who may store may also list',
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
  return [['fault', 'what must happen', ...stores.map((store) => store)], ...rows];
}
