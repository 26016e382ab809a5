// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';
import { FirstSeen } from '../../../first-seen.ts';
import type { DoneSteps } from '../../act/repeated-steps.ts';
import { AnswerHistory } from '../../etcd/answer-history.ts';

/** What the operator's process remembers between two observations. Uses the product's own classes, so that they are tested, too. */
export class OperatorMemory {
  readonly answers: AnswerHistory;
  /** First-seen times of pods, containers and image checks. */
  readonly objects: FirstSeen;
  /** First-seen times of members, and of the quorum under `quorum`. */
  readonly listed: FirstSeen;
  done: DoneSteps = new Map();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.answers = new AnswerHistory(clock);
    this.objects = new FirstSeen(clock);
    this.listed = new FirstSeen(clock);
  }
}
