// SPDX-License-Identifier: Apache-2.0
import { nodes, persistentVolumeClaims, pods } from '@operator-parts/kube';
import type { ApiFault } from '@operator-parts/kube-lab';
import { noRoom } from '../world/kubelet.ts';
import type { Webhook } from '../world/webhook.ts';
import { clusterKey } from './cluster-key.ts';
import { drain } from './drains.ts';
import { compact, fillSpace, flipValue, freeSpace } from './maintenance.ts';
import { bringBackOldDisk } from './old-disk.ts';
import type { FaultEvent } from './script.ts';
import type { Simulation } from './simulation.ts';
import {
  changeVersion,
  editPods,
  handAdd,
  handRemove,
  handRun,
  holdAndDelete,
  meddle,
  recreate,
  resize,
  setPaused,
} from './users.ts';

/** What happens at an event. Nothing, if there is nothing to happen to. */
type Fault = (simulation: Simulation, event: FaultEvent) => void;

const operator = { client: /^operator/ };
const writes = ['create', 'update', 'patch', 'delete'] as const;

const table = {
  apiErrors: (simulation, { pick, lasts }) => {
    const code = [500, 429, 409, 503, 504][pick % 5] ?? 500;
    forAWhile(simulation, lasts, simulation.world.server.faults.error(operator, { code }));
  },
  lostAnswers: ({ world }, { pick }) => {
    world.server.faults.loseAnswer({ ...operator, verb: writes, count: 1 + (pick % 3) }, pick % 2 ? 'reset' : 'hang');
  },
  lostRequests: ({ world }, { pick }) => {
    world.server.faults.loseRequest({ ...operator, count: 1 + (pick % 5) }, pick % 2 ? 'reset' : 'hang');
  },
  slowServer: (simulation, { pick, lasts }) => {
    forAWhile(simulation, lasts, simulation.world.server.faults.delay(operator, 100 + (pick % 6_000)));
  },
  lateEvents: (simulation, { pick, lasts }) => {
    forAWhile(simulation, lasts, simulation.world.server.faults.delayEvents(operator, 500 + (pick % 30_000)));
  },
  doubledEvents: (simulation, { lasts }) => {
    forAWhile(simulation, lasts, simulation.world.server.faults.duplicateEvents(operator));
  },
  cutWatches: ({ world }, { pick }) => void world.server.faults.cutWatches(operator, pick % 2 ? 'end' : 'reset'),
  stalledWatches: (simulation, { lasts }) => {
    forAWhile(simulation, lasts, simulation.world.server.faults.stallWatches(operator));
  },
  laggingReplica: (simulation, { pick, lasts }) => {
    const stale = simulation.world.server.faults.lag(operator, 5 + (pick % 60), { staleReads: pick % 4 === 0 });
    forAWhile(simulation, lasts, stale);
  },
  compaction: ({ world }) => world.server.faults.compact(),
  operatorCrash: (simulation, { pick }) =>
    some(simulation.operators, pick, (process) => process.restart(pick % 20_000)),
  operatorCrashAfterWrite: ({ world, operators }, { pick }) =>
    some(operators, pick, (process) => {
      world.server.faults.crashAfter({ ...operator, verb: writes }, 1 + (pick % 5), () =>
        process.restart(pick % 9_000),
      );
    }),
  operatorStopped: (simulation, { pick, lasts }) =>
    some(simulation.operators, pick, (process) => {
      process.stop();
      simulation.clock.schedule(Math.min(lasts, 120_000), () => process.continue());
    }),
  operatorClock: ({ operators }, { pick }) =>
    some(operators, pick, (process) => process.jumpClock([300_000, -3_600_000, 31_536_000_000][pick % 3] ?? 0)),
  processCrash: (simulation, { pick }) =>
    some(simulation.world.simPods(), pick, ({ kubelet, pod }) => kubelet.crash(pod, { code: 2, message: 'panic' })),
  podDeleted: (simulation, { pick }) =>
    someStored(simulation, pick, (key) => simulation.work(simulation.world.client.resource(pods).delete(key))),
  podForceDeleted: (simulation, { pick }) =>
    someStored(simulation, pick, (key) =>
      simulation.work(simulation.world.client.resource(pods).delete(key, { gracePeriodSeconds: 0 })),
    ),
  podsDeleted: (simulation, { pick }) => {
    for (let index = 0; index < 2 + (pick % 2); index++)
      someStored(simulation, pick + index, (key) =>
        simulation.work(simulation.world.client.resource(pods).delete(key)),
      );
  },
  volumeDeleted: (simulation, { pick }) =>
    someStored(simulation, pick, (key) => {
      simulation.work(simulation.world.client.resource(persistentVolumeClaims).delete(key));
      simulation.work(simulation.world.client.resource(pods).delete(key));
    }),
  nodeDown: (simulation, { pick, lasts }) =>
    some([...simulation.world.kubelets.values()], pick, (kubelet) => {
      if (!kubelet.isUp || kubelet.isGone) return;
      kubelet.lose();
      simulation.clock.schedule(lasts, () => {
        if (!kubelet.isUp && !kubelet.isGone) kubelet.boot();
      });
    }),
  nodeReboot: ({ world }, { pick }) =>
    some([...world.kubelets.values()], pick, (kubelet) => {
      if (!kubelet.isUp || kubelet.isGone) return;
      kubelet.lose();
      kubelet.boot();
    }),
  nodeGone: (simulation, { pick }) =>
    some([...simulation.world.kubelets.values()], pick, (kubelet) => {
      if (simulation.world.liveNodes() < 5) return;
      kubelet.vanish();
      simulation.work(simulation.world.client.resource(nodes).delete({ name: kubelet.name }));
    }),
  blankDisk: ({ world }, { pick }) =>
    some(world.simPods(), pick, ({ kubelet, pod }) => {
      kubelet.crash(pod);
      world.directories.delete(pod.place);
    }),
  peerCut: (simulation, { pick, lasts }) =>
    some([...simulation.world.kubelets.keys()], pick, (one) =>
      some([...simulation.world.kubelets.keys()], pick >> 3, (other) => cut(simulation, one, [other], lasts)),
    ),
  nodeIsolated: (simulation, { pick, lasts }) =>
    some([...simulation.world.kubelets.keys()], pick, (one) => {
      cut(simulation, one, [...simulation.world.kubelets.keys(), 'operator'], lasts);
      cutOff(simulation, one, lasts);
    }),
  operatorCut: (simulation, { pick, lasts }) =>
    some([...simulation.world.kubelets.keys()], pick, (one) => cut(simulation, 'operator', [one], lasts)),
  operatorCutFromAll: (simulation, { lasts }) =>
    cut(simulation, 'operator', [...simulation.world.kubelets.keys()], lasts),
  kubeletCut: (simulation, { pick, lasts }) =>
    some([...simulation.world.kubelets.keys()], pick, (one) => cutOff(simulation, one, lasts)),
  userResizes: (simulation, { pick }) => resize(simulation, [1, 2, 3, 4, 5, 7][pick % 6] ?? 3),
  userPauses: (simulation, { lasts }) => {
    setPaused(simulation, true);
    simulation.clock.schedule(lasts, () => setPaused(simulation, false));
  },
  userRecreates: (simulation, { pick }) => recreate(simulation, pick % 2 === 0),
  userAddsMember: (simulation, { pick }) => handAdd(simulation, pick % 2 === 0),
  userRemovesMember: (simulation, { pick }) => handRemove(simulation, pick),
  userChangesVersion: (simulation, { pick }) => changeVersion(simulation, versions[pick % versions.length] ?? '3.6.16'),
  userBacksUp: ({ backups }, { pick }) => backups.create(undefined, pick % 2 === 0),
  userStartsSeries: ({ backups }, { pick }) => backups.create(60 + (pick % 240), pick % 2 === 0),
  userDeletesBackup: ({ backups }, { pick }) => backups.delete(pick),
  userRestores: ({ restores }, { pick }) =>
    restores.create(pick, pick % 4 === 0 ? { safetySnapshot: pick % 8 === 0 ? false : 'IfPossible' } : {}),
  userRestoresElsewhere: ({ restores }, { pick }) => restores.create(pick, { into: restores.nextName('copy') }),
  userClones: ({ restores }, { pick }) =>
    restores.create(pick, { into: restores.nextName('copy'), source: { cluster: clusterKey.name } }),
  userRecovers: ({ restores }, { pick }) => restores.create(pick, { source: { survivor: {} } }),
  userStartsProvenSeries: ({ backups }, { pick }) => backups.create(60 + (pick % 240), pick % 2 === 0, true),
  userDeletesRestore: ({ restores }, { pick }) => restores.delete(pick),
  storeDown: (simulation, { lasts }) => {
    const { backups } = simulation.world;
    backups.isDown = true;
    simulation.clock.schedule(lasts, () => {
      backups.isDown = false;
    });
  },
  storeErrors: ({ world }, { pick }) => {
    const when = pick % 2 ? 'before' : 'after';
    world.backups.callFaults = { when, code: pick % 3 ? 'Unavailable' : 'Throttled', left: 1 + (pick % 12) };
  },
  powerLoss: ({ world }) => {
    for (const kubelet of world.kubelets.values()) {
      if (!kubelet.isUp || kubelet.isGone) continue;
      kubelet.lose();
      kubelet.boot();
    }
  },
  diskFull: (simulation, { pick, lasts }) =>
    some(simulation.world.simPods(), pick, ({ kubelet, pod }) => {
      simulation.world.fullDisks.add(pod.place);
      kubelet.crash(pod, noRoom);
      simulation.clock.schedule(lasts, () => simulation.world.fullDisks.delete(pod.place));
    }),
  certificateExpired: ({ world, clock }, { pick, lasts }) =>
    some([...world.kubelets.keys()], pick, (node) => {
      world.distrusted.add(node);
      clock.schedule(lasts, () => world.distrusted.delete(node));
    }),
  spaceUsedUp: (simulation, { lasts }) => {
    fillSpace(simulation);
    simulation.clock.schedule(lasts, () => void freeSpace(simulation));
  },
  valueFlipped: (simulation, { pick, lasts }) => {
    flipValue(simulation, pick);
    simulation.clock.schedule(lasts, () => compact(simulation));
  },
  apiUnreachable: (simulation, { pick, lasts }) =>
    some(simulation.operators, pick, ({ name }) => {
      forAWhile(simulation, lasts, simulation.world.server.faults.loseRequest({ client: name }, 'hang'));
      forAWhile(simulation, lasts, simulation.world.server.faults.stallWatches({ client: name }));
    }),
  webhookDown: (simulation, { pick, lasts }) => {
    const resource = ['pods', 'persistentvolumeclaims', 'services'][pick % 3] ?? 'pods';
    const scope = { ...operator, resource, verb: ['create', 'update', 'patch'] as const };
    const message = 'Internal error occurred: failed calling webhook "policy.example.com": no endpoints available';
    forAWhile(simulation, lasts, simulation.world.server.faults.error(scope, { code: 500, message }));
  },
  webhookUndoes: (simulation, { pick, lasts }) => {
    const resource = ['pods', 'services', 'poddisruptionbudgets', 'persistentvolumeclaims'][pick % 4] ?? 'pods';
    letIn(simulation, { kind: 'undoes', resource }, lasts);
  },
  webhookAdds: (simulation, { lasts }) => letIn(simulation, { kind: 'adds' }, lasts),
  userDrainsNode: (simulation, { pick, lasts }) =>
    some([...simulation.world.kubelets.values()], pick, ({ name, isGone }) => {
      if (!isGone) drain(simulation, name, lasts);
    }),
  userEditsPods: (simulation, { pick }) => editPods(simulation, pick),
  userRunsMember: (simulation, { pick }) => handRun(simulation, pick % 2 === 0),
  userMeddles: (simulation, { pick }) => meddle(simulation, pick),
  podHeld: (simulation, { pick, lasts }) =>
    some([...simulation.world.stored.values()], pick, (pod) => holdAndDelete(simulation, pod, lasts)),
  nodeClock: ({ world }, { pick }) =>
    some([...world.kubelets.values()], pick, (kubelet) => {
      kubelet.clockOffset += [300_000, -3_600_000, 31_536_000_000][pick % 3] ?? 0;
    }),
  oldDisk: (simulation, { pick, lasts }) => bringBackOldDisk(simulation, pick, lasts),
  storeDenies: ({ world }, { pick }) => {
    world.backups.callFaults = { when: 'before', code: 'Denied', left: 1 + (pick % 12) };
  },
  storeTruncates: ({ world }, { pick }) => {
    world.backups.truncates = 1 + (pick % 6);
  },
  storeListsLate: ({ world, clock }, { lasts }) => {
    world.backups.listLag = lasts;
    clock.schedule(2 * lasts, () => {
      world.backups.listLag = 0;
    });
  },
} satisfies Record<string, Fault>;

/** Patches and minors up and down, and one that no registry has. */
const versions = ['3.5.33', '3.6.14', '3.6.16', '3.7.3', '3.7.2', '3.5.35', '3.6.99'] as const;

export type FaultName = keyof typeof table;
export const faultNames = Object.keys(table) as readonly FaultName[];

export function strike(simulation: Simulation, event: FaultEvent): void {
  simulation.note(`--- ${event.fault} (pick ${event.pick}, ${Math.round(event.lasts / 1000)} s)`);
  const fault: Fault = table[event.fault];
  fault(simulation, event);
}

function forAWhile({ clock }: Simulation, lasts: number, fault: ApiFault): void {
  clock.schedule(lasts, () => fault.remove());
}

function letIn({ world, clock }: Simulation, webhook: Webhook, lasts: number): void {
  world.webhook = webhook;
  clock.schedule(lasts, () => {
    if (world.webhook === webhook) world.webhook = undefined;
  });
}

function cut(simulation: Simulation, from: string, to: readonly string[], lasts: number): void {
  const pairs = to.filter((other) => other !== from).map((other) => [from, other].toSorted().join(' '));
  for (const pair of pairs) simulation.world.cuts.add(pair);
  simulation.clock.schedule(lasts, () => {
    for (const pair of pairs) simulation.world.cuts.delete(pair);
  });
}

function cutOff(simulation: Simulation, name: string, lasts: number): void {
  const kubelet = simulation.world.kubelets.get(name);
  if (!kubelet || kubelet.isCutOff || !kubelet.isUp) return;
  kubelet.cutOff();
  simulation.clock.schedule(lasts, () => kubelet.reconnect());
}

function some<T>(items: readonly T[], pick: number, then: (item: T) => void): void {
  const item = items[pick % Math.max(1, items.length)];
  if (item !== undefined) then(item);
}

function someStored(
  { world }: Simulation,
  pick: number,
  then: (key: { name: string; namespace: string }) => void,
): void {
  some([...world.stored.values()], pick, ({ metadata }) =>
    then({ name: metadata?.name ?? '', namespace: metadata?.namespace ?? '' }),
  );
}
