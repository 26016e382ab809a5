// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { pods } from '@operator-parts/kube';
import type { Benchmark } from '../benchmark.ts';
import { median, verdict } from '../verdict.ts';
import { HealLab, isRunning, namespace, selectorOf, timed, versions } from './heal-lab.ts';
import { Writer } from './writer.ts';

const rounds = 3;
type Report = (line: string) => void;

/**
 * LIFE: clusters while their operator is killed or restarted, after an invalid spec, and during a version change. On
 * kube-lab with real etcd, the operator in a pod; compared with fixed limits.
 */
export const lifecycle: Benchmark = {
  id: 'LIFE',
  title: 'lifecycle: the operator killed while it bootstraps a cluster, restarted; a wrong version corrected; upgrades',
  async run(report, signal) {
    await using ground = await HealLab.start(signal);
    const foundation = await foundations(ground, report);
    const killed = await operatorKilled(ground, report);
    const restarted = await operatorRestarted(ground, report);
    const corrected = await wrongVersionCorrected(ground, report);
    const upgrades = await upgraded(ground, report);
    return verdict(
      {
        'operator killed at the foundation: seconds from its lease until all is done': killed,
        'operator restarted: seconds until its lease beyond a first start': restarted,
        'wrong version corrected: times a foundation': corrected / foundation,
        ...upgrades,
      },
      {
        'operator killed at the foundation: seconds from its lease until all is done': { atMost: 4 },
        // Waiting until a lease expires takes up to 15 s more.
        'operator restarted: seconds until its lease beyond a first start': { atMost: 1 },
        'wrong version corrected: times a foundation': { atMost: 1 },
        'patch step: seconds beyond three restarts': { atMost: 6 },
        'minor step 3.5 to 3.6: seconds beyond three restarts': { atMost: 20 },
        'minor step 3.6 to 3.7: seconds beyond three restarts': { atMost: 20 },
        'acknowledged writes lost in upgrades': { atMost: 0 },
        'longest write gap in upgrades: seconds': { atMost: 3 },
      },
    );
  },
};

async function foundations(ground: HealLab, report: Report): Promise<number> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const name = `new-${round}`;
    seconds.push(
      await timed(async () => {
        await ground.create(name, { size: 3, version: versions['3.6'] });
        await ground.healthy(selectorOf(name), 3);
      }),
    );
    await ground.delete(name);
  }
  report(`a foundation: ${seconds.map((value) => value.toFixed(2)).join(', ')} s`);
  return median(seconds);
}

/** The process is killed when the second member is being created; the kubelet restarts its container. */
async function operatorKilled(ground: HealLab, report: Report): Promise<number> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const name = `killed-${round}`;
    await ground.create(name, { size: 3, version: versions['3.6'] });
    await ground.until('a second pod', async () => (await ground.pods(selectorOf(name))).length >= 2);
    const operator = await ground.operatorPod();
    await ground.lab.faults.pod.signal({ namespace, name: operator?.metadata?.name ?? '' }, 'SIGKILL');
    const at = Date.now();
    await ground.until('the new process holds the lease', async () => {
      const { holderIdentity, renewTime } = (await ground.lease()) ?? {};
      return Boolean(holderIdentity) && Date.parse(renewTime ?? '') > at;
    });
    const wait = (Date.now() - at) / 1000;
    const rest = await timed(() => ground.healthy(selectorOf(name), 3));
    report(`operator killed at the foundation: lease after ${wait.toFixed(1)} s, all done ${rest.toFixed(2)} s later`);
    seconds.push(rest);
    await ground.delete(name);
  }
  return Math.max(...seconds);
}

/**
 * Its pod is deleted, as in every update of the Deployment: the lease is released, and the next operator acquires it.
 */
async function operatorRestarted(ground: HealLab, report: Report): Promise<number> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const old = await ground.operatorPod();
    const key = { namespace, name: old?.metadata?.name ?? '' };
    const { holderIdentity: before } = (await ground.lease()) ?? {};
    await ground.client.resource(pods).delete(key);
    await ground.until('the next process runs', async () => {
      const next = await ground.operatorPod();
      return next?.metadata?.uid !== old?.metadata?.uid && isRunning(next);
    });
    seconds.push(
      await timed(() =>
        ground.until('it holds the lease', async () => {
          const { holderIdentity } = (await ground.lease()) ?? {};
          return Boolean(holderIdentity) && holderIdentity !== before;
        }),
      ),
    );
  }
  const all = seconds.map((value) => value.toFixed(2)).join(', ');
  report(`operator restarted: lease ${all} s after the start; ${ground.firstStart.toFixed(2)} s at the first start`);
  return median(seconds) - ground.firstStart;
}

async function wrongVersionCorrected(ground: HealLab, report: Report): Promise<number> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const name = `wrong-${round}`;
    await ground.create(name, { size: 3, version: '3.6.99' });
    await ground.until('an image that cannot be pulled', async () => {
      const [pod] = await ground.pods(selectorOf(name));
      return /Image/.test(pod?.status?.containerStatuses?.[0]?.state?.waiting?.reason ?? '');
    });
    await sleep(1000);
    seconds.push(
      await timed(async () => {
        await ground.change(name, { version: versions['3.6'] });
        await ground.healthy(selectorOf(name), 3);
      }),
    );
    await ground.delete(name);
  }
  report(`wrong version corrected: ${seconds.map((value) => value.toFixed(2)).join(', ')} s`);
  return median(seconds);
}

/** A quiet cluster is upgraded from 3.5 to 3.7 while a client always writes. */
async function upgraded(ground: HealLab, report: Report): Promise<Record<string, number>> {
  const name = 'up';
  await ground.create(name, { size: 3, version: versions['3.5'] });
  await ground.healthy(selectorOf(name), 3);
  await ground.settled(name);
  const writer = new Writer(ground, name, 'w/');
  const restart = await oneRestart(ground, name);
  report(`one restart: ${restart.toFixed(2)} s`);
  writer.longestGap();
  const step = async (what: string, to: { version?: string; repository?: string }) => {
    const seconds = await timed(async () => {
      await ground.change(name, to);
      await ground.until(`${what} on every member`, async () => arrived(ground, name, to));
    });
    report(`${what}: ${seconds.toFixed(2)} s`);
    await ground.settled(name);
    return seconds - 3 * restart;
  };
  // The lab has one patch of each minor: the same restarts, with another image of the same version.
  const patch = await step('patch step', { repository: 'gcr.io/etcd-development/etcd' });
  const first = await step('minor step 3.5 to 3.6', { version: versions['3.6'] });
  const second = await step('minor step 3.6 to 3.7', { version: versions['3.7'] });
  const gap = writer.longestGap();
  const { written, lost } = await writer.lost();
  report(`${written} writes were acknowledged meanwhile, ${lost} are lost; the longest wait was ${gap.toFixed(2)} s`);
  return {
    'patch step: seconds beyond three restarts': patch,
    'minor step 3.5 to 3.6: seconds beyond three restarts': first,
    'minor step 3.6 to 3.7: seconds beyond three restarts': second,
    'acknowledged writes lost in upgrades': lost,
    'longest write gap in upgrades: seconds': gap,
  };
}

async function arrived(
  ground: HealLab,
  name: string,
  { version, repository }: { readonly version?: string; readonly repository?: string },
): Promise<boolean> {
  const voters = await ground.voters(selectorOf(name));
  if (voters.length !== 3) return false;
  return voters.every(({ pod, version: running }) => {
    const status = pod.status?.containerStatuses?.find((container) => container.name === 'etcd');
    return (!version || running === version) && (!repository || Boolean(status?.image?.startsWith(repository)));
  });
}

/** Seconds until a terminated follower is a healthy voter again, in the same pod. */
async function oneRestart(ground: HealLab, name: string): Promise<number> {
  const seconds: number[] = [];
  const voters = await ground.healthy(selectorOf(name), 3);
  // Once each: a container that exits often is delayed by the kubelet's back-off.
  for (const { pod } of voters.filter(({ isLeader }) => !isLeader)) {
    const key = { namespace, name: pod.metadata?.name ?? '' };
    seconds.push(
      await timed(async () => {
        await ground.lab.faults.pod.signal(key, 'SIGTERM', 'etcd');
        await ground.until('the follower is gone', async () => (await ground.voters(selectorOf(name))).length < 3);
        await ground.healthy(selectorOf(name), 3);
      }),
    );
    await sleep(6000);
  }
  return median(seconds);
}
