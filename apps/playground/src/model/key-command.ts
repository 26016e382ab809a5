// SPDX-License-Identifier: Apache-2.0
import type { Action } from './action.ts';
import { isDataLost, isQuorumLost, membersOf, type State, selectedMember } from './state.ts';

/** The result of a key: an action, or the reason why there is none. A key always has a result. */
export type KeyAnswer =
  | { readonly kind: 'do'; readonly effect: Action | { readonly do: 'shell' } }
  | { readonly kind: 'say'; readonly text: string };

const perform = (effect: Action | { readonly do: 'shell' }): KeyAnswer => ({ kind: 'do', effect });
const say = (text: string): KeyAnswer => ({ kind: 'say', text });

const [smallest, largest] = [1, 7];

/** These are allowed during another action: the operator may be waiting for a disconnected node. */
const atAnyTime = new Set(['h', '!']);

export function keyCommand(state: State, key: string): KeyAnswer {
  const answer = meaningOf(state, key);
  const [busy] = state.busy;
  if (answer.kind === 'say' || busy === undefined || atAnyTime.has(key)) return answer;
  return say(`${busy} is still in progress: press ${key} again when it has finished`);
}

function meaningOf(state: State, key: string): KeyAnswer {
  const member = selectedMember(state)?.name;
  const node = member === undefined ? undefined : state.placement.get(member);
  switch (key) {
    case 'k':
      return member === undefined ? say('there is no member to kill') : perform({ do: 'kill', member });
    case 'b':
      return member === undefined
        ? say('there is no member whose data could be deleted')
        : perform({ do: 'blank', member });
    case 'x':
      return lost(state);
    case 'v':
      return recovered(state);
    case 'c':
      return node === undefined
        ? say('the member does not run on a node, so no node can be disconnected')
        : perform({ do: 'cut', node });
    case 'h':
      return perform({ do: 'heal', node: undefined });
    case 'r':
      return perform({ do: 'reboot' });
    case '+':
    case '-':
      return resized(state, key);
    case 'u':
      return perform({ do: 'upgrade', version: undefined });
    case 's':
      return isDataLost(state.cluster) ? say('there is nothing left to back up') : perform({ do: 'backup' });
    case 'l':
      return restored(state);
    case 'n':
      return isDataLost(state.cluster)
        ? perform({ do: 'renew' })
        : say('n works only on a cluster that has lost its data');
    case '!':
      return perform({ do: 'shell' });
    default:
      return say(`${key} is not a command; press ? for the list of keys`);
  }
}

function lost(state: State): KeyAnswer {
  const left = selectedMember(state)?.name;
  if (left === undefined || membersOf(state).length < 2) return say('there are no other members that could be lost');
  return perform({ do: 'lose', but: left });
}

function recovered({ cluster }: State): KeyAnswer {
  return isQuorumLost(cluster) ? perform({ do: 'recover' }) : say('v works only on a cluster that has lost its quorum');
}

/** By two, so that the size stays odd, within its limits. */
function resized({ cluster }: State, key: '+' | '-'): KeyAnswer {
  const size = cluster?.spec.size;
  if (size === undefined) return say('there is no cluster to resize');
  const wanted = Math.min(largest, Math.max(smallest, size + (key === '+' ? 2 : -2)));
  if (wanted !== size) return perform({ do: 'resize', size: wanted });
  return say(key === '+' ? `spec.size is ${size}, the maximum` : `spec.size is ${size}, the minimum`);
}

function restored({ cluster, backups }: State): KeyAnswer {
  if (backups.has(cluster?.metadata?.name ?? '')) return perform({ do: 'restore' });
  return say(
    isDataLost(cluster)
      ? 'there is no backup to restore; press n to create the cluster again, empty'
      : 'there is no backup yet; press s to take one',
  );
}
