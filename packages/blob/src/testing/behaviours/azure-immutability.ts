// SPDX-License-Identifier: Apache-2.0
import type { Behaviour, Told } from './behaviour.ts';

/** The immutability settings of an Azure container. */
export interface ImmutableContainer {
  /** Whether it supports version-level immutability: blobs have their own policies, and the account keeps versions. */
  readonly isVersionLevel: boolean;
  /** Whether an upload that requests a locked policy gets an unlocked one. Azure documents both. @default false */
  readonly uploadsUnlocked?: boolean;
  /** Whether the container itself has a policy: no blob can be deleted or replaced. @default false */
  readonly hasContainerPolicy?: boolean;
}

export interface ImmutabilityPolicy {
  readonly mode: string;
  readonly until: string;
}

const untilHeader = 'x-ms-immutability-policy-until-date';
const modeHeader = 'x-ms-immutability-policy-mode';

/**
 * Immutable blobs, which azurite does not support. Put Blob and Put Block List take a policy, Set Blob Immutability
 * Policy changes it, Get Blob Properties shows it; a locked policy cannot be unlocked or shortened. With versions,
 * deleting or overwriting a blob creates a previous version, which keeps its policy. If the container itself has a
 * policy, both are refused. How a container without support refuses a policy is not documented; do not rely on the
 * error code used here.
 */
export class AzureImmutability {
  /** The policies of the current versions, by path. */
  readonly current = new Map<string, ImmutabilityPolicy>();
  /** The policies of the previous versions, in the order in which they became previous. */
  readonly previous: { readonly path: string; readonly policy: ImmutabilityPolicy }[] = [];
  container: ImmutableContainer;

  constructor(container: ImmutableContainer) {
    this.container = container;
  }

  readonly behave: Behaviour = async ({ method, url, headers }, pass) => {
    const path = url.pathname;
    const comp = url.searchParams.get('comp');
    const asked = policyIn(headers);
    if (asked && !isValid(asked)) return refusal(400, 'InvalidHeaderValue', 'The value of a header is not valid.');
    if (comp === 'immutabilityPolicies') return this.#set(path, asked);
    const makesBlob = method === 'PUT' && (comp === null || comp === 'blocklist') && path.split('/').length > 3;
    if (makesBlob) return this.#refused(this.current.has(path), asked) ?? this.#change(path, asked, pass);
    if (method === 'DELETE') return this.#refused(true, undefined) ?? this.#change(path, undefined, pass);
    const answer = await pass();
    return method === 'HEAD' && answer.status === 200 ? this.#shown(path, answer) : answer;
  };

  #refused(isReplaced: boolean, asked: ImmutabilityPolicy | undefined): Told | undefined {
    if (this.container.hasContainerPolicy && isReplaced) return immutable();
    if (!asked || this.container.isVersionLevel) return undefined;
    return refusal(409, 'ImmutabilityNotSupported', 'The container does not support policies of blobs.');
  }

  async #change(path: string, asked: ImmutabilityPolicy | undefined, pass: () => Promise<Told>): Promise<Told> {
    const answer = await pass();
    if (answer.status < 300) this.#replace(path, asked);
    return answer;
  }

  #shown(path: string, answer: Told): Told {
    const { mode, until } = this.current.get(path) ?? {};
    if (!mode || !until) return answer;
    return { ...answer, headers: { ...answer.headers, [untilHeader]: until, [modeHeader]: mode } };
  }

  #replace(path: string, asked: ImmutabilityPolicy | undefined): void {
    const before = this.current.get(path);
    if (before) this.previous.push({ path, policy: before });
    this.current.delete(path);
    const policy = asked && this.container.uploadsUnlocked ? { ...asked, mode: 'unlocked' } : asked;
    // A container with its own policy also protects blobs without one.
    if (policy || this.container.hasContainerPolicy) this.current.set(path, policy ?? { mode: '', until: '' });
  }

  #set(path: string, asked: ImmutabilityPolicy | undefined): Told {
    const now = this.current.get(path);
    if (!asked || !now) return refusal(404, 'BlobNotFound', 'The specified blob does not exist.');
    const isWeaker = asked.mode === 'unlocked' || Date.parse(asked.until) < Date.parse(now.until);
    if (now.mode === 'locked' && isWeaker) return immutable();
    this.current.set(path, asked);
    return { status: 200, headers: { [untilHeader]: asked.until, [modeHeader]: asked.mode }, body: Buffer.alloc(0) };
  }
}

function policyIn(headers: Readonly<Record<string, string | readonly string[] | undefined>>) {
  const until = headers[untilHeader];
  if (until === undefined) return undefined;
  return { until: String(until), mode: String(headers[modeHeader] ?? 'unlocked').toLowerCase() };
}

/** Times have the format of RFC 1123; past times are invalid. */
function isValid({ until, mode }: ImmutabilityPolicy): boolean {
  const time = Date.parse(until);
  const isTime = until === new Date(time).toUTCString() && time > Date.now();
  return isTime && (mode === 'unlocked' || mode === 'locked');
}

function immutable(): Told {
  const message = 'This operation is not permitted as the blob is immutable due to a policy.';
  return refusal(409, 'BlobImmutableDueToPolicy', message);
}

function refusal(status: number, code: string, message: string): Told {
  const body = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml', 'x-ms-error-code': code }, body: Buffer.from(body) };
}
