// SPDX-License-Identifier: Apache-2.0
import type { CronJob, Event, Job, Pod } from '@operator-parts/kube';
import { successOf } from '../answer.ts';
import type { Stored } from '../caller.ts';
import { Trial } from '../trial.ts';

/** The body of a case about Jobs. */
export type JobCase = (trial: JobTrial) => Promise<void>;

/** The template of a Pod that runs once. */
export const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox' }] } };

type StoredPod = Pod & Stored;

/** One run of one case: Jobs and CronJobs in a separate namespace, with a simulated kubelet. */
export class JobTrial extends Trial {
  #namespace: Promise<string> | undefined;

  async path(resource: 'jobs' | 'cronjobs' | 'pods' | 'events'): Promise<string> {
    this.#namespace ??= this.podNamespace();
    const group = resource === 'pods' || resource === 'events' ? '/api/v1' : '/apis/batch/v1';
    return `${group}/namespaces/${await this.#namespace}/${resource}`;
  }

  /** Creates the Job `j`. */
  async startJob(spec: object): Promise<void> {
    await this.make(await this.path('jobs'), { metadata: { name: 'j' }, spec: { template, ...spec } });
  }

  async job(): Promise<Job> {
    return this.read<Job & Stored>(`${await this.path('jobs')}/j`);
  }

  /** Waits until the Job `j` has the expected state. */
  jobWhen(fits: (job: Job) => boolean): Promise<Job> {
    return this.eventually(async () => {
      const job = await this.job();
      if (!fits(job)) throw new Error(`the Job is not so far: ${JSON.stringify(job.status)}`);
      return job;
    });
  }

  /** Waits until the Job `j` has finished; resolves with `Complete: reason` or `Failed: reason`. */
  async end(): Promise<string> {
    const last = (job: Job) =>
      job.status?.conditions?.find(({ type, status }) => status === 'True' && /^(Complete|Failed)$/.test(type));
    const found = last(await this.jobWhen((job) => last(job) !== undefined));
    return `${found?.type}: ${found?.reason}`;
  }

  /** Pods that have not finished and are not being deleted. */
  async active(): Promise<readonly StoredPod[]> {
    const { items } = await this.list<StoredPod>(await this.path('pods'));
    return items.filter(
      ({ metadata, status }) => !metadata.deletionTimestamp && !/^(Succeeded|Failed)$/.test(String(status?.phase)),
    );
  }

  /** Waits until this many Pods are active, and resolves with them. */
  activePods(count: number): Promise<readonly StoredPod[]> {
    return this.eventually(async () => {
      const found = await this.active();
      if (found.length !== count) throw new Error(`${found.length} Pods are active, not ${count}`);
      return found;
    });
  }

  /** Writes the status as a kubelet does. */
  async finish(pod: StoredPod | undefined, phase: 'Succeeded' | 'Failed'): Promise<void> {
    if (pod === undefined) throw new Error('there is no such Pod');
    const finishedAt = `${new Date().toISOString().slice(0, 19)}Z`;
    const terminated = { exitCode: phase === 'Failed' ? 1 : 0, finishedAt, startedAt: finishedAt };
    const container = {
      name: 'c',
      image: 'busybox',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { terminated },
    };
    const path = `${await this.path('pods')}/${pod.metadata.name}/status`;
    successOf(await this.patch(path, 'merge', { status: { phase, containerStatuses: [container] } }));
  }

  /** Creates the CronJob `c`, whose last run was this many minutes ago, and enables it. */
  async startCronJob(spec: object, minutesAgo: number): Promise<void> {
    const path = await this.path('cronjobs');
    const jobTemplate = { spec: { template } };
    await this.make(path, {
      metadata: { name: 'c' },
      spec: { schedule: '* * * * *', suspend: true, jobTemplate, ...spec },
    });
    await this.lastRan(minutesAgo);
    successOf(await this.patch(`${path}/c`, 'merge', { spec: { suspend: false } }));
  }

  /** Makes the CronJob `c` treat its last run as this many minutes ago. */
  async lastRan(minutesAgo: number): Promise<void> {
    const lastScheduleTime = `${new Date(Date.now() - minutesAgo * 60_000).toISOString().slice(0, 17)}00Z`;
    const path = `${await this.path('cronjobs')}/c/status`;
    successOf(await this.patch(path, 'merge', { status: { lastScheduleTime } }));
  }

  async reschedule(schedule: string): Promise<void> {
    successOf(await this.patch(`${await this.path('cronjobs')}/c`, 'merge', { spec: { schedule } }));
  }

  async cronJob(): Promise<CronJob> {
    return this.read<CronJob & Stored>(`${await this.path('cronjobs')}/c`);
  }

  /** Names of the existing Jobs. */
  async jobNames(): Promise<readonly string[]> {
    const { items } = await this.list(await this.path('jobs'));
    return items.map(({ metadata }) => metadata.name).toSorted();
  }

  /** Events about objects of a kind. */
  async events(kind: string): Promise<readonly Event[]> {
    const { items } = await this.list<Event & Stored>(await this.path('events'));
    return items.filter(({ involvedObject }) => involvedObject.kind === kind);
  }

  /** Waits for an event with this reason about an object of a kind, and resolves with its message. */
  event(kind: 'Job' | 'CronJob', reason: string): Promise<string> {
    return this.eventually(async () => {
      const events = await this.events(kind);
      const found = events.find((event) => event.reason === reason);
      if (!found) throw new Error(`no event ${reason} among ${events.map((event) => event.reason).join(', ')}`);
      return found.message ?? '';
    });
  }
}
