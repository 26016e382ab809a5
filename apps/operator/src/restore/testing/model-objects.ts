// SPDX-License-Identifier: Apache-2.0
import type { LifePod, LifeVolume } from '../observation.ts';

export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function modelPod(name: string, incarnation: number): Mutable<LifePod> {
  return {
    ...{ name, uid: `pod-${name}`, incarnation, fenced: false, ready: true, running: true, startedBy: '' },
    ...{ mayHoldData: false, terminating: false, overdue: false },
  };
}

export function modelVolume(name: string, incarnation: number): Mutable<LifeVolume> {
  const member = { clusterId: `c${incarnation}`, memberId: name, version: '3.6.16', asRoot: false };
  return {
    ...{ name, uid: `vol-${name}`, incarnation, terminating: false, overdue: false },
    ...{ isIdentified: false, keptBy: '', member },
  };
}
