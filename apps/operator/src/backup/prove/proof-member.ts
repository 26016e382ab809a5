// SPDX-License-Identifier: Apache-2.0
import type { Dialer } from '@etcd-operator/etcd';
import { type Client, ignoreNotFound, type Pod, pods, secrets } from '@etcd-operator/kube';
import type { Clock, Random } from '@etcd-operator/ports';
import { fieldManager } from '../../api/names.ts';
import { isOwnedBy } from '../../cluster/objects/owner.ts';
import { deleteOwnSecret } from '../../restore/act/delete-own-secret.ts';
import { keyBytes } from '../../restore/delivery/channel.ts';
import type { AgentAddress } from '../../restore/delivery/courier.ts';
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

const lookEvery = 500;
/** For a pod to be scheduled, its images to be pulled and its agent to listen, in milliseconds. */
const startPatience = 10 * 60_000;
/** For restoring and reading a large database; the pod has a deadline of its own. */
const reportPatience = 2 * 3600_000;
const agentPatience = 10_000;
/** For a pod to end, in milliseconds. One on a node that is off does not. */
const endPatience = 5 * 60_000;

/** The throw-away member of one proof, from its creation to its end. Its Secret goes with it; its pod only if there is nothing to see in it. */
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

  /** There is a pod of this proof. */
  get isCreated(): boolean {
    return this.#isCreated;
  }

  /** Creates it, and waits until its agent takes the backup. */
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

  /** What is found in the backup, once the agent beside etcd has said so. */
  report(): Promise<ProofReport> {
    return this.#until(reportPatience, (pod) => reportOf(pod, this.#ports.clock.now()));
  }

  /** It has shown what it was made for, whatever becomes of it: one that does not end is left to the next proof. */
  async discard(): Promise<void> {
    try {
      await this.remove();
    } catch (error) {
      if (!(error instanceof ProofError)) throw error;
    }
  }

  /** Deletes its pod, and resolves when it is gone. Rejects if it is not deleted in time: no proof waits for a node forever. */
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
        throw new ProofError('untried', 'ProofPodFailed', `pod/${name} exists and was not created by this operator`);
      if (pod.metadata?.deletionTimestamp === undefined) {
        fence();
        const preconditions = { uid: pod.metadata?.uid ?? '' };
        await ignoreNotFound(client.resource(pods).delete({ namespace, name }, { preconditions, signal }));
      }
      await clock.sleep(lookEvery, signal);
    }
  }

  /** A proof that is called off leaves nothing; what one has found stays to be seen. */
  async [Symbol.asyncDispose](): Promise<void> {
    const limit = new AbortController();
    using _timer = this.#timer(limit);
    try {
      await deleteOwnSecret(this.#ports.client, this.#owner, limit.signal);
      if (this.#signal.aborted) await this.remove(limit.signal);
    } catch {
      // Without the lease, or without an API server: the next proof removes it, and the deadline of the pod ends it.
    }
  }

  #timer(limit: AbortController): Disposable {
    const timer = this.#ports.clock.schedule(5_000, () => limit.abort(new Error('the proof is over')));
    return { [Symbol.dispose]: () => timer.cancel() };
  }

  async #until<T>(patience: number, look: (pod: Pod) => T | undefined): Promise<T> {
    const { client, clock } = this.#ports;
    const { namespace } = this.#owner;
    const name = proofPodName(this.#owner);
    const end = clock.monotonic() + patience;
    for (;;) {
      const pod = await ignoreNotFound(client.resource(pods).get({ namespace, name }, { signal: this.#signal }));
      if (!pod || !isOwnedBy(pod, this.#owner.uid) || pod.metadata?.deletionTimestamp !== undefined)
        throw new ProofError('untried', 'ProofPodFailed', `pod/${name} was deleted`);
      const found = look(pod);
      if (found !== undefined) return found;
      if (clock.monotonic() > end)
        throw new ProofError('untried', 'ProofPodFailed', seedFacts(pod, undefined, clock.now()).why);
      await clock.sleep(lookEvery, this.#signal);
    }
  }
}

function unended(name: string, node = ''): string {
  const where = node === '' ? '' : ` on node ${node}`;
  return `pod/${name} of an earlier proof has not ended${where}. If that node will not come back, delete the node or taint it node.kubernetes.io/out-of-service`;
}
