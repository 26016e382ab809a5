// SPDX-License-Identifier: Apache-2.0
import { addVolume, budget, healthy, pod, rowsOf, see, spec } from './vocabulary.ts';

/** Services and the disruption budget: operator rule 16, checklist 32 to 34 and 41. */
export const services = rowsOf('steady', [
  {
    name: '[33] a deleted client Service is made again',
    given: [healthy(3), see({ services: { peer: 'current', client: 'missing' } })],
    steps: ['ensureService client'],
    because: 'Creating the client Service.',
  },
  {
    name: '[33] an edited peer Service is put right',
    given: [healthy(3), see({ services: { peer: 'drifted', client: 'current' } })],
    steps: ['ensureService peer'],
    because: 'was changed',
  },
  {
    name: 'safety rule 12: a Service of another owner is not ours to change',
    given: [healthy(3), see({ services: { peer: 'otherOwner', client: 'otherOwner' } })],
    steps: [],
  },
  {
    name: '[41] a deleted budget is made again',
    given: [healthy(3), budget(undefined)],
    steps: ['ensureBudget 2'],
    because: 'Setting PodDisruptionBudget minAvailable to 2 (quorum of 3).',
  },
  {
    name: '[41] an edited budget is put right',
    given: [healthy(5), budget(1)],
    steps: ['ensureBudget 3'],
  },
  {
    name: '[41] a budget that was made to count other pods is put right, though its number is',
    given: [healthy(3), see({ budget: { minAvailable: 2, otherOwner: false, drifted: true } })],
    steps: ['ensureBudget 2'],
  },
  {
    name: '[41] safety rule 12: a budget of another owner is left alone',
    given: [healthy(3), budget(1, true)],
    steps: [],
  },
  {
    name: '[41] the user wants none: it goes',
    given: [healthy(3), spec({ podDisruptionBudget: false })],
    steps: ['deleteBudget'],
  },
  {
    name: '[41] the user wants none and there is none',
    given: [healthy(3), spec({ podDisruptionBudget: false }), budget(undefined)],
    steps: [],
  },
  {
    name: 'operator rule 16: one member without a volume: drains are blocked',
    given: [healthy(1), budget(undefined)],
    steps: ['ensureBudget 1'],
  },
  {
    name: 'operator rule 16: two members without volumes: drains are blocked',
    given: [healthy(2), budget(undefined)],
    steps: ['ensureBudget 2'],
  },
  {
    name: 'operator rule 16: two members in memory are no better off',
    given: [healthy(2, { storage: 'memory' }), budget(undefined)],
    steps: ['ensureBudget 2'],
  },
  {
    name: 'operator rule 16: one or two members on volumes come back by themselves: no budget',
    given: [healthy(2, { storage: 'claim' }), budget(2)],
    steps: ['deleteBudget'],
  },
  {
    name: 'operator rule 16: while shrinking from five to three, quorum of the voters there are',
    given: [healthy(4), spec({ size: 3 }), budget(3)],
    steps: ['removeMember c (scale)'],
    situation: 'scalingDown',
  },
  {
    name: 'operator rule 16: growing from one to three, quorum of those asked for',
    given: [healthy(1), spec({ size: 3 })],
    steps: ['ensureBudget 2', 'joinMember as learner 3.6.16'],
    situation: 'scalingUp',
  },
  {
    name: 'everything at once: repairs come first, in a fixed order',
    given: [
      healthy(3, { storage: 'claim' }),
      see({ services: { peer: 'missing', client: 'drifted' } }),
      budget(undefined),
      pod('c', { markedVoter: false }),
      addVolume('f'),
    ],
    steps: ['ensureService peer', 'ensureService client', 'clearBootstrap c', 'deleteVolume f', 'ensureBudget 2'],
  },
]);
