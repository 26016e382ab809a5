// SPDX-License-Identifier: Apache-2.0
import type { Container, Pod } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import type { EventRecorder } from '../../controllers/event-recorder.ts';
import type { Image } from '../../images/image.ts';
import { imageReferenceText, parseImageReference } from '../../images/image-reference.ts';
import type { ImageTable } from '../../images/image-table.ts';
import { goDuration } from './back-off.ts';
import { LaunchError } from './launch-error.ts';

/** An image on a node, with the names that a container's status shows. */
export interface PulledImage {
  readonly image: Image;
  readonly name: string;
  readonly id: string;
}

/**
 * Finds images for one node and records the same events as the real kubelet. An image is pulled once and then present.
 */
export class ImagePuller {
  readonly #table: ImageTable;
  readonly #events: EventRecorder;
  readonly #clock: Clock;
  readonly #present = new Set<string>();

  constructor(table: ImageTable, events: EventRecorder, clock: Clock) {
    this.#table = table;
    this.#events = events;
    this.#clock = clock;
  }

  pull(pod: Pod, container: Container, fieldPath: string): PulledImage {
    const wanted = container.image ?? '';
    const reference = parseImageReference(wanted);
    if (!reference) {
      const message = `Failed to apply default image tag "${wanted}": couldn't parse image name "${wanted}": invalid reference format`;
      this.#events.event(pod, 'Warning', 'InspectFailed', message, fieldPath);
      throw new LaunchError('InvalidImageName', message);
    }
    const name = imageReferenceText(reference);
    const found = this.#table.find(reference);
    const policy = container.imagePullPolicy ?? (reference.tag === 'latest' ? 'Always' : 'IfNotPresent');
    if (policy === 'Never' && !found) {
      const message = `Container image "${wanted}" is not present with pull policy of Never`;
      this.#events.event(pod, 'Warning', 'ErrImageNeverPull', message, fieldPath);
      throw new LaunchError('ErrImageNeverPull', message);
    }
    if (!found) throw this.#notFound(pod, wanted, name, fieldPath, this.#table.hint?.(reference));
    this.#tell(pod, wanted, name, policy, fieldPath);
    return { image: found, name, id: `${reference.repository}@${found.digest}` };
  }

  #tell(pod: Pod, wanted: string, name: string, policy: string, fieldPath: string): void {
    if (policy !== 'Always' && this.#present.has(name)) {
      const message = `Container image "${wanted}" already present on machine and can be accessed by the pod`;
      this.#events.event(pod, 'Normal', 'Pulled', message, fieldPath);
      return;
    }
    const begun = this.#clock.monotonic();
    this.#present.add(name);
    this.#events.event(pod, 'Normal', 'Pulling', `Pulling image "${wanted}"`, fieldPath);
    const took = goDuration(this.#clock.monotonic() - begun);
    const message = `Successfully pulled image "${wanted}" in ${took} (${took} including waiting). Image size: 0 bytes.`;
    this.#events.event(pod, 'Normal', 'Pulled', message, fieldPath);
  }

  #notFound(pod: Pod, wanted: string, name: string, fieldPath: string, hint: string | undefined): LaunchError {
    this.#events.event(pod, 'Normal', 'Pulling', `Pulling image "${wanted}"`, fieldPath);
    const words =
      `rpc error: code = NotFound desc = failed to pull and unpack image "${name}": ` +
      `failed to resolve reference "${name}": ${name}: not found${hint === undefined ? '' : ` (${hint})`}`;
    this.#events.event(pod, 'Warning', 'Failed', `Failed to pull image "${wanted}": ${words}`, fieldPath);
    return new LaunchError('ErrImagePull', words);
  }
}
