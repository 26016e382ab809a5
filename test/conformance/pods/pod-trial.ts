// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerState, ContainerStatus, Event, Pod, PodStatus } from '@operator-parts/kube';
import { successOf } from '../answer.ts';
import type { Backend } from '../backend.ts';
import { Trial } from '../trial.ts';

/** The body of a case about Pods. */
export type PodCase = (trial: PodTrial) => Promise<void>;

/** Cases about one subject, each with the sentence that it proves. */
export interface PodSubject {
  readonly name: string;
  readonly cases: Readonly<Record<string, PodCase>>;
}

/** The image of every container without another one. */
export const busybox = 'docker.io/library/busybox:1.28.0-glibc';

/** The same with another name. */
export const otherBusybox = 'docker.io/library/busybox:other';

/** Waits for the termination signal, and then exits at once. */
export const idle = 'trap "exit 0" TERM; while :; do sleep 0.1; done';

/** A container that runs a shell script. */
export const shell = (script: string, more: object = {}) => ({
  name: 'c',
  image: busybox,
  command: ['/bin/sh', '-c', script],
  ...more,
});

/** A Pod with one container that runs a script once. */
export const once = (script: string, more: object = {}) => ({
  restartPolicy: 'Never',
  containers: [shell(script, more)],
});

/** The namespace of a Pod, and its metadata. */
export interface PodMeta {
  readonly ns?: string;
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

/** One run of one case about Pods. */
export class PodTrial extends Trial {
  readonly #patience: number;

  constructor(backend: Backend) {
    super(backend);
    this.#patience = backend.patience;
  }

  /** Creates a Pod, by default in a new namespace. It is removed when the case ends. */
  async start(spec: object, { ns, ...metadata }: PodMeta = {}): Promise<StartedPod> {
    const namespace = ns ?? (await this.podNamespace());
    const name = metadata.name ?? 'p';
    const defaults = { automountServiceAccountToken: false, terminationGracePeriodSeconds: 1 };
    await this.make(`/api/v1/namespaces/${namespace}/pods`, {
      metadata: { ...metadata, name },
      spec: { ...defaults, ...spec },
    });
    const pod = new StartedPod(this, namespace, name, this.#patience);
    this.defer(async () => {
      await this.patch(pod.path, 'merge', { metadata: { finalizers: null } });
      await this.delete(pod.path, { gracePeriodSeconds: 0 });
    });
    return pod;
  }

  /**
   * For a state that lasts only a few seconds: if it was missed on a busy machine, the case is repeated with a longer
   * one.
   */
  async inPassing(inspect: (seconds: number) => Promise<void>): Promise<void> {
    await inspect(2).catch(() => inspect(30));
  }

  /** The output of a script, once it has ended. */
  async output(script: string, more: object = {}, spec: object = {}, metadata: PodMeta = {}): Promise<string> {
    const pod = await this.start({ ...once(script, more), ...spec }, metadata);
    await pod.ended();
    return pod.log();
  }
}

/** A Pod that a case has started. */
export class StartedPod {
  readonly path: string;
  readonly ns: string;
  readonly name: string;
  readonly #trial: Trial;
  readonly #patience: number;

  constructor(trial: Trial, ns: string, name: string, patience: number) {
    this.#trial = trial;
    this.ns = ns;
    this.name = name;
    this.#patience = patience;
    this.path = `/api/v1/namespaces/${ns}/pods/${name}`;
  }

  read(): Promise<Pod & { readonly status: PodStatus }> {
    return this.#trial.read(this.path);
  }

  /** Waits until the Pod has the expected state; the error contains the last one. */
  async until(what: string, fits: (status: PodStatus, pod: Pod) => boolean | undefined): Promise<PodStatus> {
    const end = performance.now() + this.#patience;
    for (;;) {
      const pod = await this.read();
      if (fits(pod.status, pod)) return pod.status;
      if (performance.now() > end) throw new Error(`the Pod was never ${what}: ${JSON.stringify(pod.status)}`);
      await sleep(50);
    }
  }

  running(): Promise<PodStatus> {
    return this.until('running', ({ phase }) => phase === 'Running');
  }

  ready(): Promise<PodStatus> {
    return this.until('ready', (status) => condition(status, 'Ready')?.status === 'True');
  }

  /** Succeeded or failed. */
  ended(): Promise<PodStatus> {
    return this.until('at its end', ({ phase }) => phase === 'Succeeded' || phase === 'Failed');
  }

  gone(): Promise<void> {
    return this.#trial.eventually(async () => {
      const { code, body } = await this.#trial.get(this.path);
      if (code !== 404) throw new Error(`the Pod is still there: ${JSON.stringify(body.status)}`);
    });
  }

  /** The output of a container. @param query such as `container=c&previous=true` */
  async log(query = ''): Promise<string> {
    return successOf(await this.#trial.get<string>(`${this.path}/log?${query}`));
  }

  /** Waits until the log of the container matches. */
  logged(pattern: RegExp, query = ''): Promise<string> {
    return this.#trial.eventually(async () => {
      const text = await this.log(query);
      if (!pattern.test(text)) throw new Error(`the log has no ${pattern}: ${text}`);
      return text;
    });
  }

  /** The events about the Pod as `Normal Pulled: message`, each once. */
  async events(): Promise<readonly string[]> {
    const selector = encodeURIComponent(`involvedObject.name=${this.name}`);
    const { items } = await this.#trial.list<Event>(`/api/v1/namespaces/${this.ns}/events?fieldSelector=${selector}`);
    return [...new Set(items.map(({ type, reason, message }) => `${type} ${reason}: ${message}`))];
  }

  /** Waits for an event and resolves with it. */
  event(pattern: RegExp): Promise<string> {
    return this.#trial.eventually(async () => {
      const events = await this.events();
      const found = events.find((event) => pattern.test(event));
      if (found === undefined) throw new Error(`no event ${pattern} among ${JSON.stringify(events)}`);
      return found;
    });
  }

  delete(options?: object) {
    return this.#trial.delete(this.path, options);
  }
}

export function condition(status: PodStatus, type: string) {
  return status.conditions?.find((one) => one.type === type);
}

/** The status of a container. @param name @default the first */
export function container(status: PodStatus, name?: string): ContainerStatus | undefined {
  return status.containerStatuses?.find((one) => name === undefined || one.name === name);
}

/** The state of a container in a word: `running`, `waiting CrashLoopBackOff`, `terminated Error 1`. */
export function stateOf(state: ContainerState | undefined): string {
  if (state?.running) return 'running';
  if (state?.waiting) return `waiting ${state.waiting.reason}`;
  if (state?.terminated) return `terminated ${state.terminated.reason} ${state.terminated.exitCode}`;
  return 'none';
}
