// SPDX-License-Identifier: Apache-2.0
import type { MemberVolume } from '../../observation.ts';
import type { Assessment } from '../assessment.ts';
import type { CreatePod } from '../step.ts';
import { releaseForVolume } from './member-release.ts';

/** The pod of a member that has its data on a volume. The member can start only with this data. */
export function podOnVolume(assessment: Assessment, volume: MemberVolume, memberId: string): CreatePod {
  const { name } = volume;
  const { incarnation } = assessment;
  const made = { onVolume: true, asRoot: volume.adopted, ...releaseForVolume(assessment, volume) };
  return { do: 'createPod', name, incarnation, memberId, boot: 'cleared', ...made };
}
