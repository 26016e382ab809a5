// SPDX-License-Identifier: Apache-2.0
import type { RunningOperator } from '../running-operators.ts';
import type { Report } from './print.ts';
import { table } from './table.ts';

export function operatorsReport(operators: readonly RunningOperator[]): Report {
  return { data: operators, lines: () => operatorLines(operators) };
}

export function operatorLines(operators: readonly RunningOperator[]): readonly string[] {
  if (operators.length === 0)
    return ['No operator was found. Either no operator runs, or you may not read the Leases of operators.'];
  const rows = operators.map(({ program, manages, namespace, holder, renewed, isAlive }) => [
    program,
    manages,
    isAlive ? `${namespace}/${holder}` : 'none',
    renewed === undefined ? 'never' : `${Math.round(renewed)} s ago`,
  ]);
  return table(['OPERATOR', 'MANAGES', 'WORKING POD', 'RENEWED'], rows);
}
