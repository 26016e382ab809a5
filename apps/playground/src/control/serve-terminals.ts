// SPDX-License-Identifier: Apache-2.0
import { whenAborted } from '@operator-parts/kube';
import { view } from '../model/view.ts';
import type { Session } from '../session.ts';
import { plainText } from '../terminal/line.ts';
import { startControlServer } from './control-server.ts';
import { type Entry, register } from './registry.ts';
import type { Request } from './request.ts';

/** Accepts commands from other terminals until the signal is aborted. */
export async function serveTerminals(
  entry: Entry,
  session: Session,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<void> {
  const answer = (request: Request, say: (line: string) => void, gone: AbortSignal) =>
    reply(session, request, say, AbortSignal.any([gone, signal]));
  const close = await startControlServer({ path: entry.socket, answer });
  const withdraw = await register(entry, env);
  await whenAborted(signal);
  await withdraw();
  await close();
}

async function reply(
  session: Session,
  request: Request,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  if (request.do === 'status') {
    for (const line of view(session.state, { columns: 120, rows: 40 }).slice(0, -1)) say(plainText(line));
    return;
  }
  if (request.do === 'events') return tellEvents(session, say, signal);
  const { ok, words } = await session.act(request);
  if (!ok) throw new Error(words);
  say(words);
}

/** The past messages, then new ones. */
async function tellEvents(session: Session, say: (line: string) => void, signal: AbortSignal): Promise<void> {
  for (const { at, text } of session.state.notes) say(`${at.toFixed(1)} s  ${text}`);
  const stop = session.listen((state, message) => {
    if (message.kind === 'note') say(`${state.now.toFixed(1)} s  ${message.text}`);
  });
  await whenAborted(signal);
  stop();
}
