// SPDX-License-Identifier: Apache-2.0

import type { EtcdClusterSpec } from '@etcd-operator/operator';
import { type Pod, pods } from '@operator-parts/kube';
import { type Random, systemClock } from '@operator-parts/ports';
import { Backups } from '../testing/backups.ts';
import { Clusters } from '../testing/clusters.ts';
import type { SoakLab } from './soak-lab.ts';
import { store } from './store.ts';

/** What is done to a cluster, or to everything around it. Resolves when it is healed, before everybody has recovered. */
export interface Trouble {
  readonly name: string;
  /** How often it comes, compared with others. */
  readonly weight: number;
  readonly strike: (scene: TroubleScene) => Promise<void>;
}

export interface TroubleScene {
  readonly lab: SoakLab;
  readonly random: Random;
  readonly victim: Clusters;
  /** The specification that the victim was created with. */
  readonly spec: EtcdClusterSpec;
  /** A number that no other trouble of this soak has. */
  readonly number: number;
}

const whoAsks = { client: /etcd-operator/ };
/** What operators ask for, and no kubelet. Leases are left alone: whoever loses its lease ends, by design, and is not measured any more. */
const whatIsAsked = {
  ...whoAsks,
  resource: [
    ...['etcdclusters', 'etcdbackups', 'etcdrestores'].map((plural) => `${plural}.etcd.database.coreos.com`),
    'poddisruptionbudgets.policy',
  ],
};
const seconds = (random: Random, from: number, to: number) => (from + random.next() * (to - from)) * 1_000;

function oneOf<T>(random: Random, all: readonly T[], what: string): T {
  const found = all[Math.floor(random.next() * all.length)];
  if (found === undefined) throw new Error(`there is no ${what}`);
  return found;
}

async function memberOf({
  victim,
  random,
}: TroubleScene): Promise<{ readonly namespace: string; readonly name: string }> {
  const running = (await victim.pods()).filter(isRunning);
  const { metadata } = oneOf(random, running, `running pod of ${victim.name}`);
  return { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' };
}

function isRunning({ metadata, status }: Pod): boolean {
  return status?.phase === 'Running' && metadata?.deletionTimestamp === undefined;
}

/** For some seconds, whatever happens. */
async function lasting(fault: { remove(): void } | { heal(): Promise<void> }, milliseconds: number): Promise<void> {
  await systemClock.sleep(milliseconds);
  if ('heal' in fault) await fault.heal();
  else fault.remove();
}

/** Faults of members, of their nodes, and of what the operators reach. */
export const faults: readonly Trouble[] = [
  {
    name: 'a pod is deleted',
    weight: 3,
    strike: async (scene) => {
      const key = await memberOf(scene);
      const options = scene.random.next() < 0.5 ? { gracePeriodSeconds: 0 } : {};
      await scene.lab.client.resource(pods).delete(key, options);
    },
  },
  {
    name: 'etcd is killed',
    weight: 3,
    strike: async (scene) => scene.lab.ground.lab.faults.pod.signal(await memberOf(scene), 'SIGKILL', 'etcd'),
  },
  {
    name: 'a member stands still',
    weight: 2,
    strike: async (scene) =>
      lasting(await scene.lab.ground.lab.faults.pod.freeze(await memberOf(scene)), seconds(scene.random, 5, 25)),
  },
  {
    name: 'operators do not reach a member',
    weight: 2,
    strike: async (scene) => {
      const pod = await memberOf(scene);
      const { network } = scene.lab.ground.lab.faults;
      const operators = (await scene.lab.operators()).map(({ metadata }) => ({
        pod: { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' },
      }));
      const cuts = await Promise.all(operators.map((operator) => network.cut(operator, { pod })));
      await systemClock.sleep(seconds(scene.random, 5, 40));
      await Promise.all(cuts.map((cut) => cut.heal()));
    },
  },
  {
    name: 'a node is rebooted',
    weight: 1,
    strike: async ({ lab, random }) =>
      lab.ground.lab.faults.node.reboot(oneOf(random, await lab.spareNodes(), 'node to reboot'), {
        offMilliseconds: seconds(random, 1, 10),
      }),
  },
  {
    name: 'the API server answers with errors',
    weight: 1,
    strike: ({ lab, random }) =>
      lasting(lab.ground.lab.server.faults.error({ ...whatIsAsked, count: 20 }, { code: 500 }), seconds(random, 3, 8)),
  },
  {
    name: 'the API server is slow',
    weight: 1,
    strike: ({ lab, random }) => lasting(lab.ground.lab.server.faults.delay(whatIsAsked, 500), seconds(random, 5, 15)),
  },
  {
    name: 'watches break',
    weight: 1,
    strike: async ({ lab, random }) => {
      const { server } = lab.ground.lab;
      server.faults.cutWatches(whoAsks, random.next() < 0.5 ? 'reset' : 'end');
      if (random.next() < 0.5) server.faults.compact();
    },
  },
  {
    name: 'watches are silent',
    weight: 1,
    strike: ({ lab, random }) => lasting(lab.ground.lab.server.faults.stallWatches(whoAsks), seconds(random, 5, 20)),
  },
  {
    name: 'the backup store stands still',
    weight: 1,
    strike: async ({ lab, random }) =>
      lasting(await lab.ground.lab.faults.pod.freeze(store.pod), seconds(random, 5, 25)),
  },
];

/** What users do all day. Each is taken back, so that every rest finds the same. */
export const edits: readonly Trouble[] = [
  {
    name: 'another label',
    weight: 2,
    strike: ({ victim, number }) => victim.change({ pod: { labels: { wave: `w${number}` } } }),
  },
  {
    name: 'another option of etcd',
    weight: 1,
    strike: ({ victim, number }) =>
      victim.change({ pod: { etcdEnv: [{ name: 'ETCD_AUTO_COMPACTION_RETENTION', value: String(number) }] } }),
  },
  {
    name: 'resized, there and back',
    weight: 2,
    strike: async ({ victim, spec }) => {
      const { size } = spec;
      await victim.change({ size: size === 1 ? 3 : 1 });
      await victim.settled(patience);
      await victim.change({ size });
    },
  },
  {
    name: 'paused and resumed',
    weight: 1,
    strike: async ({ victim, random }) => {
      await victim.change({ paused: true });
      await systemClock.sleep(seconds(random, 2, 10));
      await victim.change({ paused: false });
    },
  },
  {
    name: 'deleted and created again',
    weight: 1,
    strike: async ({ victim, spec }) => {
      await gone(victim);
      await victim.create(spec);
    },
  },
  {
    name: 'a guest: created, backed up, restored, deleted',
    weight: 2,
    strike: async ({ lab, number }) => {
      const guest = new Clusters(lab, `guest-${number}`);
      const backups = new Backups(lab);
      const name = `backup-${number}`;
      await guest.create({ size: 1, version: guestVersion });
      await guest.settled(patience);
      await backups.create(name, { etcdEndpoints: [`http://${guest.name}-client.${lab.namespace}.svc:2379`] });
      await backups.succeeded(name);
      await backups.restore(name, { etcdCluster: { name: guest.name } }, `restore-${number}`);
      await guest.settled(patience);
      await backups.delete(name, `restore-${number}`);
      await gone(guest);
    },
  },
];

const guestVersion = '3.6.16';
/** How long a cluster may take to recover, in milliseconds: a container that was killed several times is started again late. */
export const patience = 420_000;

async function gone(cluster: Clusters): Promise<void> {
  await cluster.delete();
  await cluster.until(`${cluster.name} is gone`, async () => ((await cluster.pods()).length === 0 ? true : undefined));
}
