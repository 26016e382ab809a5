// SPDX-License-Identifier: Apache-2.0
import type { Step } from '../../step.ts';

/** A step as a short text for the tables. Members are letters, and computed names are `new`. */
export function describeStep(step: Step): string {
  switch (step.do) {
    case 'ensureService':
      return `ensureService ${step.which}`;
    case 'ensureBudget':
      return `ensureBudget ${step.minAvailable}`;
    case 'recordIdentity':
      return `recordIdentity ${step.clusterId}/${step.incarnation}${when(step.bootstrapVersion !== '', ` bootstrapVersion ${step.bootstrapVersion}`)}`;
    case 'createSeed':
      return `createSeed ${step.version}`;
    case 'joinMember':
      return `joinMember as ${step.learner ? 'learner' : 'voter'} ${step.version}`;
    case 'createPod':
      return describePod(step);
    case 'moveLeader':
      return `moveLeader ${step.from.replace('id-', '')} to ${short(step.toName)}`;
    case 'removeMember':
      return `removeMember ${short(step.name)} (${step.because})`;
    case 'deletePod':
      return `deletePod ${short(step.name)}${when(step.force, ' by force')}`;
    case 'checkImage':
      return `checkImage ${step.node} ${step.image.split(':v')[1]}`;
    case 'setImage':
      return describeImage(step);
    case 'setSnapshotCount':
      return `setSnapshotCount ${short(step.pod)}`;
    case 'nudgeSnapshot':
      return `nudgeSnapshot ${step.entries}`;
    case 'enableDowngrade':
      return `enableDowngrade ${step.version}`;
    case 'disarmAlarm':
      return `disarmAlarm ${step.alarm} of ${step.memberId}`;
    case 'deleteBudget':
    case 'cancelDowngrade':
      return step.do;
    case 'clearBootstrap':
    case 'renewBootList':
    case 'confirmImage':
      return `${step.do} ${short(step.pod)}`;
    case 'promote':
    case 'readdress':
    case 'deleteVolume':
    case 'isolatePod':
    case 'unisolatePod':
    case 'updatePod':
    case 'deleteImageCheck':
    case 'resizePod':
      return `${step.do} ${short(step.name)}`;
    case 'recoverQuorum':
      return `recoverQuorum ${step.name} without ${step.lost.map(short).join(', ')}`;
  }
}

/** The words if they apply, else an empty string. */
function when(applies: boolean, words: string): string {
  return applies ? words : '';
}

function describePod({
  name,
  boot,
  version,
  onVolume,
  asRoot,
  rollbackTo,
}: Extract<Step, { do: 'createPod' }>): string {
  const place = `${onVolume ? ' on its volume' : ''}${asRoot ? ' as root' : ''}`;
  return `createPod ${short(name)} ${boot} ${version}${place}${rollbackTo ? `, else ${rollbackTo.version}` : ''}`;
}

function describeImage({ pod, version, because, snapshotCount }: Extract<Step, { do: 'setImage' }>): string {
  const back = because === 'failed' ? ' (back)' : '';
  return `setImage ${short(pod)} ${version}${back}${snapshotCount ? ` snapshots ${snapshotCount}` : ''}`;
}

function short(name: string): string {
  const suffix = name.startsWith('c-') ? name.slice(2) : name;
  const letter = suffix[0] ?? '';
  return suffix === letter.repeat(10) ? letter : 'new';
}
