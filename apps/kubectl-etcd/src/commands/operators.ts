// SPDX-License-Identifier: Apache-2.0
import type { Access } from '../access.ts';
import { operatorsReport } from '../render/operators.ts';
import type { Report } from '../render/print.ts';
import { runningOperators } from '../running-operators.ts';

export async function operators(access: Access): Promise<Report> {
  return operatorsReport(await runningOperators(access));
}
