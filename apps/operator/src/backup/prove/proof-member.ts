// SPDX-License-Identifier: Apache-2.0
import type { Dialer } from '@operator-parts/etcd';
import { type Client, ignoreNotFound, type Pod, pods, secrets } from '@operator-parts/kube';
import type { Clock, Random } from '@operator-parts/ports';
import { fieldManager } from '../../api/names.ts';
import { isOwnedBy } from '../../cluster/objects/owner.ts';
import { deleteOwnSecret } from '../../restore/act/delete-own-secret.ts';
import type { AgentAddress } from '../../restore/delivery/agent-connection.ts';
import { keyBytes } from '../../restore/delivery/channel.ts';
import { restoreSecret } from '../../restore/objects/restore-secret.ts';
import { seedFacts } from '../../restore/observe/seed-facts.ts';
import { ProofError } from './proof-error.ts';
import { type ProofOwner, type ProofPodOptions, proofPod, proofPodName } from './proof-pod.ts';
import type { ProofReport } from './proof-report.ts';
import { reportOf } from './report-of.ts';

export interface ProofMemberPorts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly dial: Dialer;
  readonly fence: () => void;
}

const pollInterval = 500;
/** How long to wait until the pod is scheduled, its images are pulled and its agent listens, in milliseconds. */
const startPatience = 10 * 60_000;
/** How long to wait until a large database is restored and read. The pod has its own deadline as well. */
const reportPatience = 2 * 3600_000;
const agentPatience = 10_000;
/** How long to wait until a pod is deleted, in milliseconds. A pod on a node that is down is not deleted. */
const endPatience = 5 * 60_000;

/**
 * The temporary member of one proof (test restore of a stored backup). When the proof ends, the member's Secret is always deleted. Its pod
 * stays if the proof failed, because the pod shows why.
 */
export class ProofMember implements AsyncDisposable {
  readonly #owner: ProofOwner;
  readonly #ports: ProofMemberPorts;
  readonly #signal: AbortSignal;
  #isCreated = false;

  constructor(owner: ProofOwner, ports: ProofMemberPorts, signal: AbortSignal) {
    this.#owner = owner;
    this.#ports = ports;
    this.#signal = signal;
  }

  /** True if this proof has created a pod. */
  get isCreated(): boolean {
    return this.#isCreated;
  }

  /** Creates the Secret and the pod, and waits until the agent accepts the backup. */
  async start(options: Omit<ProofPodOptions, 'backup'>): Promise<AgentAddress> {
    const { client, clock, random, dial, fence } = this.#ports;
    const signal = this.#signal;
    await deleteOwnSecret(client, this.#owner, signal);
    const key = random.bytes(keyBytes);
    const secret = restoreSecret(this.#owner, key, 'EtcdBackup');
    await client.resource(secrets).create(secret, { fieldManager, signal });
    await client.resource(pods).create(proofPod({ ...options, backup: this.#owner }), { fieldManager, signal });
    this.#isCreated = true;
    const ip = await this.#until(startPatience, (pod) => {
      const { stage, ip: address, broken } = seedFacts(pod, undefined, clock.now());
      if (broken !== undefined) throw new ProofError('untried', 'ProofPodFailed', broken);
      return stage === 'waitingForData' && address !== '' ? address : undefined;
    });
    return { ip, uid: this.#owner.uid, key, dial, clock, fence, patience: agentPatience };
  }

  /** Waits for the result of the agent that runs beside etcd. */
  report(): Promise<ProofReport> {
    return this.#until(reportPatience, (pod) => reportOf(pod, this.#ports.clock.now()));
  }

  /** Deletes the pod after a successful proof. If the pod is not deleted in time, the next proof deletes it. */
  async discard(): Promise<void> {
    try {
      await this.remove();
    } catch (error) {
      if (!(error instanceof ProofError)) throw error;
    }
  }

  /** Deletes the pod and resolves when it is gone. Rejects if that takes too long, because a node may be down forever. */
  async remove(signal: AbortSignal = this.#signal): Promise<void> {
    const { client, clock, fence } = this.#ports;
    const { namespace, uid } = this.#owner;
    const name = proofPodName(this.#owner);
    const end = clock.monotonic() + endPatience;
    for (;;) {
      const pod = await ignoreNotFound(client.resource(pods).get({ namespace, name }, { signal }));
      if (!pod) return;
      if (clock.monotonic() > end) throw new ProofError('untried', 'ProofPodFailed', unended(name, pod.spec?.nodeName));
      if (!isOwnedBy(pod, uid))
        throw new ProofError(
          'untried',
          'ProofPodFailed',
          `pod/${name} already exists and was not created by this operator. Delete that pod, because the pod of the test restore needs this name`,
        );
      if (pod.metadata?.deletionTimestamp === undefined) {
        fence();
        const preconditions = { uid: pod.metadata?.uid ?? '' };
        await ignoreNotFound(client.resource(pods).delete({ namespace, name }, { preconditions, signal }));
      }
      await clock.sleep(pollInterval, signal);
    }
  }

  /** Deletes the Secret. Deletes the pod too if the proof was cancelled; after a failed proof the pod stays for inspection. */
  async [Symbol.asyncDispose](): Promise<void> {
    const limit = new AbortController();
    using _timer = this.#timer(limit);
    try {
      await deleteOwnSecret(this.#ports.client, this.#owner, limit.signal);
      if (this.#signal.aborted) await this.remove(limit.signal);
    } catch {
      // The lease is lost or the API server is not reachable: nothing more can be done here. The pod ends at its own deadline, and the next
      // proof deletes it.
    }
  }

  #timer(limit: AbortController): Disposable {
    const timer = this.#ports.clock.schedule(5_000, () => limit.abort(new Error('the test restore is over')));
    return { [Symbol.dispose]: () => timer.cancel() };
  }

  async #until<T>(patience: number, inspect: (pod: Pod) => T | undefined): Promise<T> {
    const { client, clock } = this.#ports;
    const { namespace } = this.#owner;
    const name = proofPodName(this.#owner);
    const end = clock.monotonic() + patience;
    for (;;) {
      const pod = await ignoreNotFound(client.resource(pods).get({ namespace, name }, { signal: this.#signal }));
      if (!pod || !isOwnedBy(pod, this.#owner.uid) || pod.metadata?.deletionTimestamp !== undefined)
        throw new ProofError('untried', 'ProofPodFailed', `pod/${name} was deleted`);
      const found = inspect(pod);
      if (found !== undefined) return found;
      if (clock.monotonic() > end)
        throw new ProofError('untried', 'ProofPodFailed', seedFacts(pod, undefined, clock.now()).why);
      await clock.sleep(pollInterval, this.#signal);
    }
  }
}

function unended(name: string, node = ''): string {
  const where = node === '' ? '' : ` on node ${node}`;
  return `pod/${name} of an earlier test restore has not terminated${where}. If the node of this pod is permanently gone, delete the Node, or add the taint node.kubernetes.io/out-of-service=nodeshutdown:NoExecute to it`;
}
