// SPDX-License-Identifier: Apache-2.0
import type { Container } from '@operator-parts/kube';
import { isRuntimeError } from '../../runtime/runtime-error.ts';
import { type BackOffEntry, type ContainerFacts, containerHash, type StartProblem } from '../pod/pod-facts.ts';
import { type BackOffPolicy, nextEntry, retryAt } from './back-off.ts';
import { LaunchError } from './launch-error.ts';

/** The kubelet's retry interval for failures without a back-off of their own. */
const retryDelay = 10_000;

/** What to show and when to retry after a start has failed. */
export function startProblem(input: {
  readonly container: Container;
  readonly error: unknown;
  readonly before: ContainerFacts;
  /** The facts of the failed attempt. */
  readonly begun: ContainerFacts;
  readonly now: number;
  readonly backOff: BackOffPolicy;
  readonly timeFactor: number;
}): {
  readonly problem: StartProblem;
  readonly imageBackOff?: BackOffEntry;
  /** The error in the words of the event. */
  readonly words: string;
} {
  const { container, before, now } = input;
  const { reason, message } = explain(input.error);
  const hash = containerHash(container);
  if (reason === 'ErrImagePull') {
    const imageBackOff = nextEntry(input.backOff, before.imageBackOff, hash, now);
    const later = {
      at: now + imageBackOff.delay / 5,
      reason: 'ImagePullBackOff',
      message: `Back-off pulling image "${container.image}": ErrImagePull: ${message}`,
    };
    const problem = { reason, message, hash, retryAt: now + imageBackOff.delay, later };
    return { problem, imageBackOff, words: reason };
  }
  // A container that was created but did not run counts as exited: it is restarted with the same back-off.
  const again =
    reason === 'RunContainerError'
      ? retryAt(input.backOff, input.begun.backOff, hash, now)
      : now + retryDelay / input.timeFactor;
  const isPlain = reason === 'CreateContainerConfigError' || reason === 'RunContainerError';
  return { problem: { reason, message, hash, retryAt: again }, words: isPlain ? message : reason };
}

function explain(error: unknown): { readonly reason: string; readonly message: string } {
  if (error instanceof LaunchError) return { reason: error.reason, message: error.message };
  const words = error instanceof Error ? error.message : String(error);
  if (isRuntimeError(error, 'StartFailed')) {
    const message =
      'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: ' +
      `unable to start container process: error during container init: ${words}`;
    return { reason: 'RunContainerError', message };
  }
  return { reason: 'CreateContainerError', message: words };
}
