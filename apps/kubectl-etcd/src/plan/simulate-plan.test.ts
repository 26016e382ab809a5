// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newCluster, noon, restingCluster, withSpec } from '../testing/simulated-cluster.ts';
import { type PlanSimulation, simulatePlan } from './simulate-plan.ts';

const verbs = ({ steps }: PlanSimulation) => steps.map((step) => step.do);
const count = (simulation: PlanSimulation, verb: string) => verbs(simulation).filter((found) => found === verb).length;
const changed = (from: Parameters<typeof restingCluster>[0], to: Parameters<typeof restingCluster>[0]) =>
  simulatePlan(withSpec(restingCluster(from), to), noon);

describe('a simulation', () => {
  test('bootstraps a cluster that does not exist and brings it to its size', () => {
    const found = simulatePlan(newCluster({ size: 3, version: '3.6.16' }), noon);
    expect(found.end).toEqual({ kind: 'settled' });
    expect(count(found, 'createSeed')).toBe(1);
    expect(count(found, 'joinMember')).toBe(2);
    expect(count(found, 'promote')).toBe(2);
  });

  test('of a cluster at rest has no steps', () => {
    expect(simulatePlan(restingCluster({ size: 3, version: '3.6.16' }), noon)).toEqual({
      steps: [],
      end: { kind: 'settled' },
    });
  });

  test('grows one member at a time and keeps quorum', () => {
    const found = changed({ size: 3, version: '3.6.16' }, { size: 5, version: '3.6.16' });
    expect(found.end.kind).toBe('settled');
    expect(verbs(found).filter((verb) => verb === 'joinMember' || verb === 'promote')).toEqual([
      'joinMember',
      'promote',
      'joinMember',
      'promote',
    ]);
    expect(found.steps.every((step) => step.keepsQuorum)).toBe(true);
  });

  test('shrinks without losing quorum', () => {
    const found = changed({ size: 5, version: '3.6.16' }, { size: 3, version: '3.6.16' });
    expect(found.end.kind).toBe('settled');
    expect(count(found, 'removeMember')).toBe(2);
    expect(found.steps.every((step) => step.keepsQuorum)).toBe(true);
  });

  test('upgrades in place, the leader last, with one voter away at a time', () => {
    const found = changed({ size: 3, version: '3.6.15' }, { size: 3, version: '3.6.16' });
    expect(found.end.kind).toBe('settled');
    const patches = found.steps.filter((step) => step.do === 'setImage');
    expect(patches.map(({ present, voters }) => `${present}/${voters}`)).toEqual(['2/3', '2/3', '2/3']);
    expect(count(found, 'moveLeader')).toBe(1);
  });

  test('of an upgrade of a single member says that quorum is lost for a moment', () => {
    const found = changed({ size: 1, version: '3.6.15' }, { size: 1, version: '3.6.16' });
    const patch = found.steps.find((step) => step.do === 'setImage');
    expect(patch).toMatchObject({ present: 0, voters: 1, quorum: 1, keepsQuorum: false });
  });

  test('ends waiting where the operator refuses', () => {
    const found = changed({ size: 3, version: '3.5.21' }, { size: 3, version: '3.7.3' });
    expect(found.steps).toEqual([]);
    expect(found.end).toMatchObject({ kind: 'waits', situation: 'upgrading' });
  });

  test('of a paused cluster says so', () => {
    const found = changed({ size: 3 }, { size: 5, paused: true });
    expect(found.end).toEqual({
      kind: 'waits',
      situation: 'paused',
      waitingFor: ['spec.paused is true: the operator does nothing until spec.paused is false'],
    });
  });

  test('of a spec that says nothing sensible gives the problems', () => {
    const found = changed({ size: 3 }, { size: 9 });
    expect(found.end).toMatchObject({ kind: 'waits', situation: 'invalid' });
  });

  test('comes to rest for every size, also with volumes, and never loses quorum with three voters or more', () => {
    const spec = fc.record({
      size: fc.constantFrom(1, 2, 3, 4, 5, 7),
      version: fc.constantFrom('3.6.15', '3.6.16'),
      pod: fc.constantFrom({}, { persistentVolumeClaimSpec: { accessModes: ['ReadWriteOnce'] } }),
    });
    fc.assert(
      fc.property(spec, fc.constantFrom(1, 2, 3, 4, 5, 7), (from, size) => {
        const found = changed(from, { ...from, size, version: '3.6.16' });
        expect(found.end.kind).toBe('settled');
        expect(found.steps.filter((step) => step.voters >= 3 && !step.keepsQuorum)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
