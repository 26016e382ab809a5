// SPDX-License-Identifier: Apache-2.0
import { type DataDirectory, directoryOf, type Entry, type MemberRecord } from './data-directory.ts';
import { clusterId, memberId } from './ids.ts';
import type { Exit, Member, MemberSettings } from './member.ts';
import { mayJoin } from './versions.ts';

/** What etcd is told about its cluster; it counts on an empty directory only. */
export interface BootValues {
  /** `name=url,name=url`. */
  readonly initialCluster: string;
  readonly state: string;
  readonly token: string;
}

/** What a joining member finds when it asks the others. */
export type AskPeer = (peerUrl: string) => Member | undefined;

/** The directory that a member begins with on an empty disk; or how its process ends, in etcd's words. */
export function firstDirectory(settings: MemberSettings, boot: BootValues, ask: AskPeer): DataDirectory | Exit {
  const listed = parseCluster(boot.initialCluster);
  const own = listed.get(settings.name);
  if (!own) return failed(`couldn't find local name "${settings.name}" in the initial cluster configuration`);
  if (own.toSorted().join() !== settings.peerUrls.toSorted().join())
    return failed(
      `--initial-cluster has ${settings.name}=${own.join()} but missing from --initial-advertise-peer-urls`,
    );
  return boot.state === 'new' ? found(listed, settings, boot.token) : join(listed, settings, ask);
}

function found(listed: Listed, settings: MemberSettings, token: string): DataDirectory {
  const firstMembers = [...listed].map(
    ([, peerUrls]): MemberRecord => ({
      id: memberId(peerUrls, { token }),
      name: '',
      peerUrls,
      clientUrls: [],
      isLearner: false,
    }),
  );
  const sorted = firstMembers.toSorted((a, b) => (BigInt(`0x${a.id}`) < BigInt(`0x${b.id}`) ? -1 : 1));
  const ids = {
    memberId: memberId(settings.peerUrls, { token }),
    clusterId: clusterId(firstMembers.map(({ id }) => id)),
  };
  const additions = sorted.map((member): Entry => {
    const request = `founding ${member.id}`;
    return { term: 1, command: { kind: 'change', change: { kind: 'add', member }, request } };
  });
  return directoryOf(ids, 1, additions);
}

function join(listed: Listed, settings: MemberSettings, ask: AskPeer): DataDirectory | Exit {
  const others = [...listed].filter(([name]) => name !== settings.name).flatMap(([, urls]) => urls);
  const answering = others.toSorted().flatMap((url) => ask(url) ?? [])[0];
  if (!answering)
    return failed(
      'cannot fetch cluster info from peer urls: could not retrieve cluster information from the given URLs',
    );
  const present = [...answering.state.members.values()];
  if (present.length !== listed.size) return failed('error validating peerURLs: member count is unequal');
  const urls = new Set([...listed.values()].flat());
  const unmatched = present.find(({ peerUrls }) => !peerUrls.every((url) => urls.has(url)));
  if (unmatched) return failed('error validating peerURLs: unmatched member while checking PeerURLs');
  const self = present.find(({ peerUrls }) => peerUrls.join() === settings.peerUrls.join());
  if (!self) return failed('error validating peerURLs: unmatched member while checking PeerURLs');
  const { clusterId: cluster } = answering.directory;
  const speaking = others.toSorted().flatMap((url) => ask(url) ?? []);
  if (!mayJoin(settings.version, speaking)) return failed('incompatible with current running cluster');
  return directoryOf({ memberId: self.id, clusterId: cluster }, 0, []);
}

type Listed = ReadonlyMap<string, readonly string[]>;

function parseCluster(text: string): Listed {
  const found = new Map<string, string[]>();
  for (const part of text.split(',')) {
    const at = part.indexOf('=');
    if (at <= 0) continue;
    const name = part.slice(0, at);
    found.set(name, [...(found.get(name) ?? []), part.slice(at + 1)]);
  }
  return found;
}

function failed(message: string): Exit {
  return { code: 1, message };
}
