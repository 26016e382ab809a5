// SPDX-License-Identifier: Apache-2.0
import { isIP } from 'node:net';
import { type DnsAnswer, dnsTypes } from './message.ts';
import { addressRecord, type DnsRecord } from './record.ts';

/**
 * The domain of the cluster. It exists even without records. The lab has no connection to the outside, so names for
 * which it has no record do not exist.
 */
const clusterDomain = 'cluster.local';

/**
 * The records of the lab, added and removed by owner (a Service, a pod). Pure: no sockets, no clock.
 *
 * Rules, as in the cluster DNS of Kubernetes:
 * - A name that exists, but has no record of the requested type, gets NOERROR without records. A resolver that requests
 *   A and AAAA then uses the one that exists.
 * - A name above an existing name exists, too.
 * - All other names get NXDOMAIN.
 */
export class Zone {
  readonly #byOwner = new Map<string, readonly DnsRecord[]>();
  readonly #byName = new Map<string, DnsRecord[]>();
  /** How many records are at or below a name. If there is at least one, the name exists. */
  readonly #below = new Map<string, number>();

  /** Replaces all records of `owner`; an empty list removes it. */
  put(owner: string, records: readonly DnsRecord[]): void {
    for (const record of this.#byOwner.get(owner) ?? []) this.#remove(record);
    this.#byOwner.delete(owner);
    if (records.length > 0) this.#byOwner.set(owner, records);
    for (const record of records) this.#add(record);
  }

  /** Answers a question. `name` may be in upper or lower case, with or without the final dot. */
  resolve(name: string, type: number): DnsAnswer {
    const key = name.toLowerCase().replace(/\.$/, '');
    const records = this.#byName.get(key) ?? [];
    const alias = records.find((record) => record.type === 'CNAME');
    if (alias && type !== dnsTypes.CNAME) return this.#followAlias(alias, type);
    const answers = distinct(records.filter((record) => type === dnsTypes.ANY || dnsTypes[record.type] === type));
    const byAddress = podRecord(key);
    if (byAddress)
      return { code: 'NOERROR', answers: type === dnsTypes[byAddress.type] ? [byAddress] : [], additional: [] };
    const exists = key === clusterDomain || (this.#below.get(key) ?? 0) > 0;
    return { code: exists ? 'NOERROR' : 'NXDOMAIN', answers, additional: this.#targets(answers) };
  }

  #followAlias(alias: Extract<DnsRecord, { type: 'CNAME' }>, type: number): DnsAnswer {
    const target = (this.#byName.get(alias.target.toLowerCase()) ?? []).filter(
      (record) => dnsTypes[record.type] === type,
    );
    return { code: 'NOERROR', answers: [alias, ...distinct(target)], additional: [] };
  }

  #targets(answers: readonly DnsRecord[]): readonly DnsRecord[] {
    const targets = new Set(answers.flatMap((record) => (record.type === 'SRV' ? [record.target] : [])));
    return [...targets].flatMap((target) =>
      distinct((this.#byName.get(target) ?? []).filter(({ type }) => type === 'A' || type === 'AAAA')),
    );
  }

  #add(record: DnsRecord): void {
    const list = this.#byName.get(record.name);
    if (list) list.push(record);
    else this.#byName.set(record.name, [record]);
    for (const name of nameAndAbove(record.name)) this.#below.set(name, (this.#below.get(name) ?? 0) + 1);
  }

  #remove(record: DnsRecord): void {
    const left = (this.#byName.get(record.name) ?? []).filter((other) => other !== record);
    if (left.length > 0) this.#byName.set(record.name, left);
    else this.#byName.delete(record.name);
    for (const name of nameAndAbove(record.name)) {
      const count = (this.#below.get(name) ?? 1) - 1;
      if (count > 0) this.#below.set(name, count);
      else this.#below.delete(name);
    }
  }
}

/** `10-244-1-2.default.pod.cluster.local`: every address has such a name, even if no pod has the address. */
function podRecord(name: string): DnsRecord | undefined {
  const dashes = /^([0-9a-f-]+)\.[a-z0-9-]+\.pod\.cluster\.local$/.exec(name)?.[1] ?? '';
  const address = [dashes.replaceAll('-', '.'), dashes.replaceAll('-', ':')].find((text) => isIP(text) !== 0);
  return address === undefined ? undefined : addressRecord(name, address);
}

function* nameAndAbove(name: string): Generator<string> {
  for (let rest = name; rest !== ''; rest = rest.includes('.') ? rest.slice(rest.indexOf('.') + 1) : '') yield rest;
}

/** Two owners may add the same record (two Services select one pod). The answer contains it once. */
function distinct(records: readonly DnsRecord[]): DnsRecord[] {
  const seen = new Map(records.map((record) => [JSON.stringify(record), record]));
  return [...seen.values()];
}
