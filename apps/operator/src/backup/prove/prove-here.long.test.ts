// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MemberClient } from '@operator-parts/etcd';
import { EtcdLab } from '@operator-parts/etcd/testing';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judgeProof } from './judge-proof.ts';
import { readWords } from './proof-report.ts';
import { proveHere } from './prove-here.ts';

const bytes = (text: string) => Buffer.from(text);

async function fill({ kv }: MemberClient): Promise<void> {
  for (let count = 0; count < 5; count++) await kv.put({ key: bytes(`k${count}`), value: bytes('v') });
}

async function compactAll({ kv, maintenance }: MemberClient): Promise<void> {
  await kv.compact({ revision: (await maintenance.status()).revision });
}

/** Sound databases that a real cluster may have, with the code that creates them. */
const databases: Readonly<Record<string, (member: MemberClient) => Promise<void>>> = {
  'nothing was ever written to': async () => undefined,
  'has keys': fill,
  'was compacted at its newest revision': async (member) => {
    await fill(member);
    await compactAll(member);
  },
  'was compacted at its newest revision, which is a deletion': async (member) => {
    await fill(member);
    await member.kv.deleteRange({ key: bytes('k1') });
    await compactAll(member);
  },
  'was emptied and compacted at its newest revision': async (member) => {
    await fill(member);
    await member.kv.deleteRange({ key: bytes('k'), rangeEnd: bytes('l') });
    await compactAll(member);
  },
  'was compacted before its newest revision': async (member) => {
    await fill(member);
    await compactAll(member);
    await member.kv.put({ key: bytes('k1'), value: bytes('later') });
  },
};

describe.each(['3.4', '3.5', '3.6', '3.7'])('the agent of a proof, beside etcd %s', (version) => {
  let lab: EtcdLab;
  let directory: string;
  beforeAll(async () => {
    lab = await EtcdLab.open();
    directory = await mkdtemp(join(tmpdir(), 'prove-here-'));
  });
  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  test.each(Object.entries(databases))('finds nothing wrong with a database that %s', async (_what, make) => {
    const member = await lab.member();
    await member.start({ version });
    await make(member.client());
    const file = join(directory, `${member.name}.db`);
    const pieces: Uint8Array[] = [];
    for await (const piece of member.client().maintenance.snapshot()) pieces.push(Buffer.from(piece));
    await writeFile(file, Buffer.concat(pieces));
    // After the restart, the member reads its database from disk as a restored member does.
    await member.stop();
    await member.start();
    const reportFile = `${file}.report`;
    const { signal } = new AbortController();
    const place = { file, loginDirectory: '', reportFile, clock: systemClock, signal, port: member.clientPort };
    await proveHere(place);
    await member.stop();
    const words = readWords(await readFile(reportFile, 'utf8'));
    expect(words).toMatchObject({ kind: 'report' });
    if (words?.kind !== 'report') return;
    const {
      file: { revision },
    } = words.report;
    expect(judgeProof(words.report, { revision, clusterId: '', member: member.name })).toBeUndefined();
  });
});
