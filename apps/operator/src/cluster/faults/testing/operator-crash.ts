// SPDX-License-Identifier: Apache-2.0
import type { FaultScope } from '@etcd-operator/kube-lab';
import type { OperatorLab } from '../../../testing/operator-lab.ts';

/** The operator ends at the moment it sends such a request, which nobody ever looks at. */
export function crashBefore(ground: OperatorLab, scope: FaultScope): Promise<void> {
  return crash(ground, scope, 'loseRequest');
}

/** The operator ends when such a request has taken effect, before it hears the answer. */
export function crashAfter(ground: OperatorLab, scope: FaultScope): Promise<void> {
  return crash(ground, scope, 'loseAnswer');
}

async function crash(ground: OperatorLab, scope: FaultScope, how: 'loseRequest' | 'loseAnswer'): Promise<void> {
  const fault = ground.lab.server.faults[how]({ client: 'etcd-operator', ...scope }, 'hang');
  await ground.until('the request', async () => (fault.hits > 0 ? true : undefined));
  await ground.stopOperator();
  fault.remove();
}
