// SPDX-License-Identifier: Apache-2.0
import type { RestoreModel } from './model.ts';

/** The final state of a restore and its cluster in the model. */
export const finalState = (model: RestoreModel) => ({
  phase: model.status?.phase,
  incarnation: model.cluster?.incarnation,
  clusterId: model.cluster?.clusterId,
  marker: model.cluster?.marker,
  pods: model.pods.map(({ name, incarnation, isolated }) => ({ name, incarnation, isolated })),
  volumes: model.volumes.map(({ incarnation }) => incarnation),
  secret: model.secret,
  finalizer: model.finalizer,
  wrongs: model.wrongs,
});

/** The final state of a restore that changed nothing. */
export const unchangedState = {
  incarnation: 1,
  clusterId: 'c1',
  marker: undefined,
  pods: ['a', 'b', 'd'].map((name) => ({ name, incarnation: 1, isolated: false })),
  volumes: [1, 1, 1],
  secret: false,
  finalizer: false,
  wrongs: [],
};
