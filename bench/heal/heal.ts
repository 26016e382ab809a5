// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { type Pod, pods, services, statefulSets } from '@operator-parts/kube';
import type { Benchmark } from '../benchmark.ts';
import { median, verdict } from '../verdict.ts';
import { healBars } from './bars.ts';
import { etcdSetOnVolumes, lonelyPod } from './floor.ts';
import { HealLab, namespace, selectorOf, timed, type Voter, versions } from './heal-lab.ts';
import { Writer } from './writer.ts';

const rounds = 5;
type Report = (line: string) => void;
type Figures = Record<string, number>;

const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '512Mi' } } } as const;
/** The floor has no init container; the duration of the one that waits for DNS is reported separately. */
const spec = {
  size: 3,
  version: versions['3.6'],
  pod: { persistentVolumeClaimSpec: claim, checkDNS: false },
} as const;
const specWithCheck = { ...spec, pod: { persistentVolumeClaimSpec: claim } } as const;

/**
 * B10: how a cluster recovers when pods, volumes or the leader are deleted, with a client that always writes. On
 * kube-lab with real etcd; the floor is a StatefulSet that loses the same pod.
 */
export const heal: Benchmark = {
  id: 'B10',
  title: 'heal: pods, volumes and leaders lost, against a StatefulSet that loses a pod; writes go on',
  async run(report, signal) {
    await using ground = await HealLab.start(signal);
    const figures: Figures = {};
    const setRestart = await setLosesPods(ground, report);
    const podStart = await podStarts(ground, report);
    await ground.create('heal', spec);
    await ground.healthy(selectorOf('heal'), 3);
    await ground.settled('heal');
    const writer = new Writer(ground, 'heal', 'w/');
    await gaps(ground, writer, report, figures);
    const one = await podsLost(ground, 'heal', report);
    figures['pod deleted, volume kept: times a StatefulSet'] = one / setRestart;
    const volume = await volumesLost(ground, report);
    figures['volume lost: seconds beyond a pod start'] = volume - podStart;
    // With a write in progress, a terminating etcd waits seven seconds for it, with or without quorum or operator.
    await writer.stop();
    figures['all pods deleted, volumes kept: times one pod'] = (await allPodsLost(ground, report)) / one;
    const { written, lost } = await writer.lost();
    report(`${written} writes were acknowledged, ${lost} of them are lost`);
    figures['acknowledged writes lost'] = lost;
    await ground.delete('heal');
    await ground.create('checked', specWithCheck);
    figures['the same with check-dns: times a StatefulSet'] = (await podsLost(ground, 'checked', report)) / setRestart;
    return verdict(figures, healBars);
  },
};

/** The floor: seconds from the deletion of a pod until its member answers again. */
async function setLosesPods(ground: HealLab, report: Report): Promise<number> {
  const [service, set] = etcdSetOnVolumes('floor', namespace, `quay.io/coreos/etcd:v${versions['3.6']}`, claim);
  await ground.client.resource(services).create(service);
  await ground.client.resource(statefulSets).create(set);
  const selector = 'bench-etcd=floor';
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const voters = await ground.healthy(selector, 3);
    await sleep(2000);
    const [victim] = voters.filter(({ isLeader }) => !isLeader);
    seconds.push(await timed(() => lose(ground, selector, podsOf(victim))));
  }
  await ground.client.resource(statefulSets).delete({ namespace, name: 'floor' });
  await ground.client.resource(services).delete({ namespace, name: 'floor' });
  await ground.until('the floor is gone', async () => (await ground.pods(selector)).length === 0);
  return told(report, 'StatefulSet, pod deleted, volume kept', seconds);
}

/** Seconds from the creation of a bare pod until its etcd answers. */
async function podStarts(ground: HealLab, report: Report): Promise<number> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const name = `lonely-${round}`;
    const pod = lonelyPod(name, namespace, `quay.io/coreos/etcd:v${versions['3.6']}`);
    seconds.push(
      await timed(async () => {
        await ground.client.resource(pods).create(pod);
        await ground.healthy(`bench-etcd=${name}`, 1);
      }),
    );
    await ground.client.resource(pods).delete({ namespace, name }, { gracePeriodSeconds: 0 });
  }
  return told(report, 'a pod start', seconds);
}

async function podsLost(ground: HealLab, cluster: 'heal' | 'checked', report: Report): Promise<number> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const [victim] = (await rested(ground, cluster)).filter(({ isLeader }) => !isLeader);
    seconds.push(await timed(() => lose(ground, selectorOf(cluster), podsOf(victim))));
  }
  return told(report, `pod deleted, volume kept${cluster === 'checked' ? ', with check-dns' : ''}`, seconds);
}

async function volumesLost(ground: HealLab, report: Report): Promise<number> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const [victim] = (await rested(ground)).filter(({ isLeader }) => !isLeader);
    seconds.push(await timed(() => lose(ground, selectorOf('heal'), podsOf(victim), true)));
  }
  return told(report, 'pod and volume deleted', seconds);
}

async function allPodsLost(ground: HealLab, report: Report): Promise<number> {
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const all = podsOf(...(await rested(ground)));
    seconds.push(await timed(() => lose(ground, selectorOf('heal'), all)));
  }
  return told(report, 'all pods deleted, volumes kept', seconds);
}

/** Deletes pods, and waits until there are three healthy voters in other pods. */
async function lose(ground: HealLab, selector: string, victims: readonly Pod[], withVolume = false): Promise<void> {
  await Promise.all(victims.map((pod) => ground.deletePod(pod, withVolume)));
  await ground.healthy(selector, 3, victims);
}

/** How long a client waits when a member ends: killed, or terminated, as by every deletion of a pod. */
async function gaps(ground: HealLab, writer: Writer, report: Report, figures: Figures): Promise<void> {
  const series = async (who: 'leader' | 'follower', how: 'stopped' | 'killed') => {
    const seconds: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const voter = (await rested(ground)).find(({ isLeader }) => isLeader === (who === 'leader'));
      seconds.push(await gap(ground, writer, podsOf(voter), how));
    }
    told(report, `write gap, ${who} ${how}`, seconds);
    return seconds;
  };
  figures['write gap, follower killed: seconds'] = median(await series('follower', 'killed'));
  figures['write gap, leader stopped: seconds'] = median(await series('leader', 'stopped'));
  const killed = await series('leader', 'killed');
  figures['write gap, leader killed: median seconds'] = median(killed);
  figures['write gap, leader killed: longest'] = Math.max(...killed);
}

async function gap(ground: HealLab, writer: Writer, [pod]: readonly Pod[], how: 'stopped' | 'killed'): Promise<number> {
  if (!pod) throw new Error('there is nobody to take away');
  writer.longestGap();
  const key = { namespace, name: pod.metadata?.name ?? '' };
  if (how === 'killed') await ground.lab.faults.pod.signal(key, 'SIGKILL', 'etcd');
  else await ground.deletePod(pod);
  await sleep(4000);
  const seconds = writer.longestGap();
  // A new pod starts at once; a container that was killed often is delayed by the kubelet's back-off.
  if (how === 'killed') await lose(ground, selectorOf('heal'), [pod]);
  return seconds;
}

/** The voters of a cluster after a quiet period. */
async function rested(ground: HealLab, cluster = 'heal'): Promise<readonly Voter[]> {
  await ground.settled(cluster);
  const voters = await ground.healthy(selectorOf(cluster), 3);
  // etcd refuses membership changes within five seconds of a connection.
  await sleep(6000);
  return voters;
}

function podsOf(...voters: readonly (Voter | undefined)[]): readonly Pod[] {
  const found = voters.flatMap((voter) => voter?.pod ?? []);
  if (found.length === 0) throw new Error('there is nobody to take away');
  return found;
}

/** The median, reported with its spread. */
function told(report: Report, what: string, seconds: readonly number[]): number {
  const spread = `${Math.min(...seconds).toFixed(2)} to ${Math.max(...seconds).toFixed(2)}`;
  report(`${what}: median ${median(seconds).toFixed(2)} s (${spread})`);
  return median(seconds);
}
