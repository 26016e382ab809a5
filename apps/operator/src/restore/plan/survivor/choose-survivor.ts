// SPDX-License-Identifier: Apache-2.0
import { counted } from '../../../counted.ts';
import type { LogReading } from '../../observation.ts';
import { forkBetween } from './log-fork.ts';

/** The data of one remaining member. For a member in a pod, whose etcd was asked, `voters` is 0: the number is not known. */
export interface Survivor
  extends Omit<LogReading, 'kind' | 'clusterId' | 'memberId' | 'voterIds' | 'newestEntry' | 'highestRevision'> {
  readonly name: string;
  /**
   * `log`: the log was read to its end, so `term` and `index` are of the last entry. `pod`: the data is only in the member's pod. The etcd
   * in the pod was asked, and it reports only the last index that it knows to be committed.
   */
  readonly known: 'log' | 'pod';
}

/** A member whose data exists but cannot be read. */
export interface Unreadable {
  readonly name: string;
  readonly why: string;
}

export type SurvivorChoice = ChosenSurvivor | { readonly kind: 'refused'; readonly why: string };

export interface ChosenSurvivor {
  readonly kind: 'chosen';
  readonly survivor: Survivor;
  readonly warning: string | undefined;
}

/**
 * Chooses the member to recover from: the one whose last entry has the highest term and, among those, the highest index. If the logs of a
 * majority were read, raft guarantees that this member has every committed entry. With fewer logs, another member may know committed
 * entries that this member does not have: then no member is chosen. No member is chosen either if two logs contradict each other and no log
 * shows which of the two was committed. A member that was requested by name is refused if another member is ahead of it. If two members
 * cannot be compared, the operator does not guess.
 */
export function chooseSurvivor(
  survivors: readonly Survivor[],
  unreadable: readonly Unreadable[],
  wanted: string | undefined,
): SurvivorChoice {
  const [best] = [...survivors].sort(byProgress);
  if (!best) return refused(noSurvivor(unreadable));
  if (wanted === undefined) return chooseBest(survivors, unreadable, best);
  const asked = survivors.find(({ name }) => name === wanted);
  if (!asked)
    return refused(`spec.source.survivor.member is ${wanted}, but member ${wanted} has no data. ${named(best)}`);
  const ahead = survivors.filter((one) => one.known === asked.known && compare(one, asked) < 0).sort(byProgress);
  const isInDoubt = (one: Survivor) => isTooFew(survivors) && isUndecided(asked, one);
  const rival = ahead.find((one) => !isInDoubt(one) && !survivors.some((other) => lacks(one, other)));
  if (rival) return refused(behind(asked, rival));
  const passedOver = ahead.map(({ name }) => `member ${name} has entries of a later term, which are not used`);
  return chosen(asked, survivors, unreadable, passedOver);
}

function chooseBest(survivors: readonly Survivor[], unreadable: readonly Unreadable[], best: Survivor): SurvivorChoice {
  const [damaged] = unreadable;
  if (damaged)
    return refused(
      `the data of member ${damaged.name} cannot be read (${damaged.why}), and may be newer than the data of the other members. ${named(best)}`,
    );
  if (survivors.some(({ known }) => known !== best.known))
    return refused(`members with a volume cannot be compared with members without a volume. ${named(best)}`);
  const other = isTooFew(survivors) ? survivors.find((one) => isUndecided(best, one)) : undefined;
  // If one of the contradicting entries is known to be committed, that decides.
  if (other && !survivors.some((one) => lacks(best, one))) return refused(undecided(best, other, survivors));
  return chosen(best, survivors, unreadable, []);
}

function chosen(
  survivor: Survivor,
  survivors: readonly Survivor[],
  unreadable: readonly Unreadable[],
  passedOver: readonly string[],
): SurvivorChoice {
  const [ahead] = survivors.filter((one) => lacks(survivor, one)).sort((a, b) => b.commit - a.commit);
  if (ahead) return refused(`${uncommitted(survivor, ahead)}. ${named(ahead)}`);
  const warnings = [
    ...passedOver,
    ...tooFew(survivors),
    ...(isTooFew(survivors) ? survivors.filter((one) => isUndecided(survivor, one)).map(contradicting) : []),
    ...survivors.filter(({ isTorn }) => isTorn).map(torn),
    ...(survivor.known === 'pod'
      ? [`member ${survivor.name} has no volume: writes that this member had received but not applied are missing`]
      : []),
    ...unreadable.map(({ name }) => `the data of member ${name} could not be read and is not used`),
  ];
  return { kind: 'chosen', survivor, warning: warnings.length > 0 ? warnings.join('; ') : undefined };
}

function contradicting({ name }: Survivor): string {
  return `the WAL of member ${name} is not used, because this WAL contradicts, or may contradict, the WAL that is used`;
}

function torn({ name }: Survivor): string {
  return `the last writes of member ${name} may be missing, because the end of the WAL of this member is incomplete or was cut off`;
}

/** True if `other` knows committed entries that `one` does not have, or in whose place `one` has other entries. */
function lacks(one: Survivor, other: Survivor): boolean {
  if (other.commit > one.index) return true;
  const fork = one.known === 'log' && other.known === 'log' ? forkBetween(one, other) : undefined;
  return typeof fork === 'number' && fork <= other.commit && fork > one.commit;
}

/**
 * True if two logs contradict each other, or may contradict each other, and their commit indexes do not show which log is right. If a
 * majority of the logs was read, the log with the later term is right. With fewer logs, a leader whose data is lost may have committed the
 * entries of the other log.
 */
function isUndecided(one: Survivor, other: Survivor): boolean {
  if (one.known !== 'log' || other.known !== 'log') return false;
  const fork = forkBetween(one, other);
  if (fork === 'unknown' || fork === undefined) return fork === 'unknown';
  // If both logs claim that their entry there is committed, at least one of them reports a wrong commit index.
  return [one, other].every(({ commit }) => commit < fork) || [one, other].every(({ commit }) => commit >= fork);
}

function undecided(best: Survivor, other: Survivor, survivors: readonly Survivor[]): string {
  const fork = forkBetween(best, other);
  const how = typeof fork === 'number' ? `contradict each other from index ${fork} on` : 'may contradict each other';
  return `the WALs of members ${best.name} and ${other.name} ${how}, and ${tooFew(survivors).join()}. It is not known which of the two WALs has the acknowledged writes. To choose, set spec.source.survivor.member to ${best.name} (the later term) or ${other.name}`;
}

function uncommitted({ name, term, index }: Survivor, ahead: Survivor): string {
  if (ahead.commit <= index)
    return `member ${ahead.name} has committed entries up to index ${ahead.commit}, but the WAL of member ${name} has other entries in their place`;
  const which = term > ahead.term && ahead.known === 'log' ? ', of a later term,' : '';
  return `member ${ahead.name} has committed entries up to index ${ahead.commit}, but the WAL of member ${name}${which} ends at index ${index}`;
}

function isTooFew(survivors: readonly Survivor[]): boolean {
  return tooFew(survivors).length > 0;
}

/** Warns if fewer logs than a majority were read: only a majority surely has every committed entry. */
function tooFew(survivors: readonly Survivor[]): readonly string[] {
  const voters = Math.max(...survivors.map((one) => one.voters));
  const read = survivors.filter(({ known, isVoter }) => known === 'log' && isVoter).length;
  if (read > voters / 2 || voters === 0) return [];
  return [
    `the operator read the WALs of only ${read} of ${counted(voters, 'voter')}, so acknowledged writes may be missing`,
  ];
}

/** The member with the later term, or with the higher index of the same term, comes first. Equal members are ordered by name. */
function byProgress(a: Survivor, b: Survivor): number {
  return compare(a, b) || (a.name < b.name ? -1 : 1);
}

function compare(a: Survivor, b: Survivor): number {
  return b.term - a.term || b.index - a.index;
}

function behind(asked: Survivor, best: Survivor): string {
  const lost = best.index - asked.index;
  const what = lost > 0 ? `Up to ${lost} WAL entries` : 'Entries of a later leader';
  return `member ${asked.name} is behind member ${best.name}: member ${asked.name} is at index ${asked.index} of term ${asked.term}, member ${best.name} is at index ${best.index} of term ${best.term}. ${what} would be lost. Remove spec.source.survivor.member, or set it to ${best.name}`;
}

function named({ name }: Survivor): string {
  return `To recover from member ${name}, set spec.source.survivor.member to ${name}`;
}

function noSurvivor(unreadable: readonly Unreadable[]): string {
  const why = unreadable.map(({ name, why: reason }) => `${name}: ${reason}`).join('; ');
  return `the cluster cannot be recovered, because no member has usable data${why ? ` (${why})` : ''}. Restore a backup instead`;
}

function refused(why: string): SurvivorChoice {
  return { kind: 'refused', why };
}
