// SPDX-License-Identifier: Apache-2.0
import { writeFile } from 'node:fs/promises';
import { formatId, LogError, type LogReading } from '@operator-parts/etcd';
import type { SurvivorReading } from '../observation.ts';
import { type CopyOptions, copySurvivor, isBlank } from './copy-survivor.ts';

/** The file from which Kubernetes takes a container's termination message. */
export const reportFile = '/dev/termination-log';

/** The highest number of terms that are reported. If there are more, none are reported. */
const mostTerms = 100;

/**
 * Copies the data of a survivor (a member that still has data of a cluster without a quorum), and reports facts about the data through the
 * status of the pod. This includes the fact that the data is damaged. After any other error, the container fails.
 */
export async function reportSurvivor(copy: CopyOptions, file: string): Promise<void> {
  await writeFile(file, JSON.stringify(await copied(copy)));
}

async function copied(copy: CopyOptions): Promise<SurvivorReading> {
  if (await isBlank(copy.from)) return { kind: 'blank' };
  try {
    const { log, newestEntry, highestRevision } = await copySurvivor(copy);
    return readingOf(log, newestEntry, highestRevision);
  } catch (error) {
    if (error instanceof LogError)
      return { kind: 'unreadable', why: error.message, isDamaged: error.code !== 'Unsupported' };
    throw error;
  }
}

export function readingOf(log: LogReading, newestEntry: bigint, highestRevision: bigint): SurvivorReading {
  const { memberId, clusterId, lastTerm, lastIndex, terms, state, voters, end } = log;
  return {
    kind: 'log',
    term: Number(lastTerm),
    index: Number(lastIndex),
    commit: Number(state.commit),
    voters: voters.length,
    isVoter: voters.includes(memberId),
    clusterId: formatId(clusterId),
    memberId: formatId(memberId),
    voterIds: voters.map(formatId),
    isTorn: end.isTorn,
    // A termination message has room for 4 KiB.
    terms: terms.length > mostTerms ? [] : terms.map(({ index, term }) => [Number(index), Number(term)]),
    newestEntry: Number(newestEntry),
    highestRevision: Number(highestRevision),
  };
}

/** Reads the report from a pod's status; undefined if it cannot be read. */
export function readReport(text: string): SurvivorReading | undefined {
  try {
    const said: unknown = JSON.parse(text);
    if (typeof said !== 'object' || said === null || !('kind' in said)) return undefined;
    if (said.kind === 'blank') return { kind: 'blank' };
    if (said.kind === 'unreadable' && 'why' in said) {
      const isDamaged = 'isDamaged' in said && said.isDamaged === true;
      return { kind: 'unreadable', why: String(said.why).slice(0, 500), ...(isDamaged && { isDamaged }) };
    }
    return said.kind === 'log' ? readLog(said) : undefined;
  } catch {
    return undefined;
  }
}

function readLog(said: object): SurvivorReading | undefined {
  const numberAt = (key: string) => Number(key in said ? Reflect.get(said, key) : Number.NaN);
  const [term, index] = [numberAt('term'), numberAt('index')];
  const [commit, voters] = [numberAt('commit'), numberAt('voters')];
  if (![term, index, commit, voters].every(Number.isSafeInteger)) return undefined;
  const [clusterId, memberId] = [Reflect.get(said, 'clusterId'), Reflect.get(said, 'memberId')];
  const voterIds: unknown = Reflect.get(said, 'voterIds');
  if (typeof clusterId !== 'string' || typeof memberId !== 'string' || !Array.isArray(voterIds)) return undefined;
  const whose = { clusterId, memberId, voterIds: voterIds.map(String) };
  const isTrue = (key: string) => Reflect.get(said, key) === true;
  // If the report does not say how the log ends, the end counts as incomplete.
  const isTorn = Reflect.get(said, 'isTorn') !== false;
  const terms = readTerms(Reflect.get(said, 'terms'));
  const newestEntry = Number.isSafeInteger(numberAt('newestEntry')) ? numberAt('newestEntry') : 0;
  const highestRevision = numberAt('highestRevision');
  return {
    ...{ kind: 'log', term, index, commit, voters, isVoter: isTrue('isVoter'), ...whose, isTorn, terms, newestEntry },
    ...(Number.isSafeInteger(highestRevision) && { highestRevision }),
  };
}

/** A malformed list counts as not known. */
function readTerms(said: unknown): readonly (readonly [number, number])[] {
  if (!Array.isArray(said)) return [];
  const pairs = said.map((pair: unknown) => (Array.isArray(pair) ? pair.map(Number) : []));
  const terms = pairs.map(([index = Number.NaN, term = Number.NaN]) => [index, term] as const);
  const isAscending = terms.every(([index, term], place) => {
    const [before, earlier] = terms[place - 1] ?? [-1, -1];
    return Number.isSafeInteger(index) && Number.isSafeInteger(term) && index > before && term > earlier;
  });
  return isAscending ? terms : [];
}
