// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@etcd-operator/ports';
import { FirstSeen } from '../../../first-seen.ts';
import type { DoneSteps } from '../../act/repeated-steps.ts';
import { AnswerMemory } from '../../etcd/answer-memory.ts';

/** What the operator's process remembers between two looks, with the product's own classes: it is part of what is tested. */
export class OperatorMemory {
  readonly answers: AnswerMemory;
  /** Pods, containers and image checks. */
  readonly objects: FirstSeen;
  /** Members, and the quorum under `quorum`. */
  readonly listed: FirstSeen;
  done: DoneSteps = new Map();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.answers = new AnswerMemory(clock);
    this.objects = new FirstSeen(clock);
    this.listed = new FirstSeen(clock);
  }
}
