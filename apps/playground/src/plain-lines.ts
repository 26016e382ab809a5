// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster } from '@etcd-operator/operator';
import { isAvailable, operatorAtWork, type State } from './model/state.ts';
import type { Message } from './model/update.ts';
import type { Session } from './session.ts';

export interface PlainLinesOptions {
  readonly write: (line: string) => void;
  /** Ends when the cluster is available. */
  readonly once: boolean;
  readonly signal: AbortSignal;
}

/** A session with plain lines, for pipes, logs and scripts. */
export async function runPlainLines(session: Session, { write, once, signal }: PlainLinesOptions): Promise<void> {
  const over = Promise.withResolvers<void>();
  const printer = new Printer(write);
  const stopListening = session.listen((state, message) => {
    printer.print(state, message);
    if (state.isOver || (once && isAvailable(state.cluster))) over.resolve();
  });
  signal.addEventListener('abort', () => over.resolve(), { once: true });
  if (signal.aborted) over.resolve();
  await over.promise;
  stopListening();
}

/** Prints each message once. */
class Printer {
  readonly #write: (line: string) => void;
  #last = '';
  #lastOperator = '';
  #wasAvailable = false;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  print(state: State, message: Message): void {
    const time = `${state.now.toFixed(1)} s`;
    switch (message.kind) {
      case 'note':
        this.#write(`${time}  ${message.text}`);
        break;
      case 'hints':
        for (const hint of message.hints) this.#write(`  ${hint}`);
        break;
      case 'operators':
        this.#operator(operatorAtWork(state), time);
        break;
      case 'clusters':
        this.#cluster(state.cluster, time);
        break;
      default:
    }
  }

  #operator(words: string, time: string): void {
    if (words !== this.#lastOperator) this.#write(`${time}  operator: ${words}`);
    this.#lastOperator = words;
  }

  #cluster(cluster: EtcdCluster | undefined, time: string): void {
    const text = cluster ? describe(cluster) : 'the cluster is gone';
    if (text !== this.#last) this.#write(`${time}  ${text}`);
    this.#last = text;
    if (isAvailable(cluster) && !this.#wasAvailable) this.#write(`${time}  available`);
    this.#wasAvailable = isAvailable(cluster);
  }
}

/** One cluster in one line: phase, members, and the operator's reasons. */
function describe({ status, spec }: EtcdCluster): string {
  const members = status?.memberDetails?.map(
    ({ name, role, healthy }) => `${name} ${role?.toLowerCase()}${healthy ? '' : ' (not healthy)'}`,
  );
  const words = [...(status?.plan?.next ?? []), ...(status?.plan?.waitingFor ?? [])];
  const head = `${status?.phase ?? 'new'} ${status?.readySize ?? 0}/${spec.size}`;
  return [head, members?.join(', ') ?? '', words.length > 0 ? `| ${words.join('; ')}` : ''].filter(Boolean).join('  ');
}
