// SPDX-License-Identifier: Apache-2.0
import type { FaultScope } from '@operator-parts/kube-lab';
import type { OperatorLab } from '../../../testing/operator-lab.ts';

/** Stops the operator when it sends a matching request; the request is lost. */
export function crashBefore(ground: OperatorLab, scope: FaultScope): Promise<void> {
  return crash(ground, scope, 'loseRequest');
}

/** Stops the operator after a matching request has taken effect, before the operator receives the answer. */
export function crashAfter(ground: OperatorLab, scope: FaultScope): Promise<void> {
  return crash(ground, scope, 'loseAnswer');
}

async function crash(ground: OperatorLab, scope: FaultScope, how: 'loseRequest' | 'loseAnswer'): Promise<void> {
  const fault = ground.lab.server.faults[how]({ client: 'etcd-operator', ...scope }, 'hang');
  await ground.until('the request', async () => (fault.hits > 0 ? true : undefined));
  await ground.stopOperator();
  fault.remove();
}
