// SPDX-License-Identifier: Apache-2.0
import type { Container, Pod } from '@operator-parts/kube';
import {
  allContainers,
  type ContainerFacts,
  containerFacts,
  newPodFacts,
  type PodFacts,
  withContainer,
} from './pod-facts.ts';

/** A pod and the facts about it. Every change is reported to the planner. */
export class PodRecord {
  readonly #onChange: () => void;
  #pod: Pod;
  #facts: PodFacts;

  constructor(pod: Pod, now: number, onChange: () => void) {
    this.#pod = pod;
    this.#facts = newPodFacts(now);
    this.#onChange = onChange;
  }

  get pod(): Pod {
    return this.#pod;
  }

  get facts(): PodFacts {
    return this.#facts;
  }

  set pod(pod: Pod) {
    this.#pod = pod;
    this.#onChange();
  }

  set facts(facts: PodFacts) {
    this.#facts = facts;
    this.#onChange();
  }

  container(name: string): ContainerFacts {
    return containerFacts(this.#facts, name);
  }

  setContainer(name: string, container: ContainerFacts): void {
    this.facts = withContainer(this.#facts, name, container);
  }

  /** The container as the spec declares it now. */
  declared(name: string): Container | undefined {
    return allContainers(this.#pod).find((container) => container.name === name);
  }

  /** The container whose current run has this id. */
  findRun(id: string): { readonly name: string; readonly own: ContainerFacts } | undefined {
    for (const [name, own] of this.#facts.containers) if (own.run?.id === id) return { name, own };
    return undefined;
  }

  /** `spec.containers{name}`: how events point to a container. */
  fieldPath(name: string): string {
    const isInit = this.#pod.spec?.initContainers?.some((container) => container.name === name);
    return `spec.${isInit ? 'initContainers' : 'containers'}{${name}}`;
  }
}
