// SPDX-License-Identifier: Apache-2.0
import type { Container, LifecycleHandler } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import type { ContainerRuntime } from '../../runtime/container-runtime.ts';
import { probeTarget } from '../probes/probe-target.ts';

/** Runs a postStart or preStop hook to its end. Rejects if it fails or takes too long. */
export async function runHook(options: {
  readonly handler: LifecycleHandler;
  readonly container: Container;
  readonly runId: string;
  readonly podIp: string;
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
  readonly timeoutMilliseconds: number;
}): Promise<void> {
  const { handler, container, runId, podIp, runtime, clock, timeoutMilliseconds } = options;
  if (handler.sleep) {
    await clock.sleep(Math.min(handler.sleep.seconds * 1000, timeoutMilliseconds));
    return;
  }
  const target = probeTarget(handler, container, runId, podIp);
  if (!target) return;
  const { success, output } = await runtime.probe(target, timeoutMilliseconds);
  if (!success) throw new Error(output);
}
