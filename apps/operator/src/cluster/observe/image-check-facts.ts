// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import type { ImageCheck } from '../observation.ts';

/** Reasons for which a container can never start with this image. */
const hopeless = [
  'InvalidImageName',
  'ErrImageNeverPull',
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
];
const pullFailures = ['ErrImagePull', 'ImagePullBackOff'];

/** The state of an image check. `output` is what the program of a succeeded pod printed; undefined while it has not been read. */
export function imageCheckFacts(pod: Pod, output: string | undefined, seenSince: (key: string) => number): ImageCheck {
  const { metadata = {}, spec } = pod;
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    node: spec?.nodeName ?? '',
    image: spec?.containers[0]?.image ?? '',
    seenSince: seenSince(metadata.uid ?? ''),
    ...verdict(pod, output),
  };
}

function verdict({ status }: Pod, output: string | undefined): Pick<ImageCheck, 'result' | 'detail'> {
  const { waiting, terminated } = status?.containerStatuses?.[0]?.state ?? {};
  if (status?.phase === 'Succeeded') {
    if (output === undefined) return { result: 'pending', detail: '' };
    return { result: 'succeeded', detail: /etcd Version: *(\S+)/.exec(output)?.[1] ?? 'of unknown version' };
  }
  // The phase follows the container after a moment: a pod whose container exited with 0 is about to be Succeeded.
  if (status?.phase === 'Failed' || (terminated && terminated.exitCode !== 0)) {
    return {
      result: 'failed',
      detail: terminated?.message || `the container exited with code ${terminated?.exitCode ?? 'unknown'}`,
    };
  }
  const reason = waiting?.reason ?? '';
  const isStuck = hopeless.includes(reason) || pullFailures.includes(reason);
  return isStuck
    ? { result: 'failed', detail: `${reason}: ${waiting?.message ?? ''}` }
    : { result: 'pending', detail: reason };
}
