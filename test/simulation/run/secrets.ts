// SPDX-License-Identifier: Apache-2.0
import { events, type Secret, secrets, type TransportRequest } from '@operator-parts/kube';
import type { Simulation } from './simulation.ts';

/** Shorter ones may be part of anything. */
const shortest = 12;

/** I7: what is in a Secret is in no event, no log, no status and no other object that the operator writes. */
export class Secrets {
  readonly #simulation: Simulation;
  /** As text and as base64, with the name of the Secret. */
  readonly #values = new Map<string, string>();

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
  }

  follow(): void {
    const { feed } = this.#simulation.world.server;
    feed.subscribe(secrets, ({ object }) => this.#learn(object));
    feed.subscribe(events, ({ object }) => this.look('an event', JSON.stringify(object)));
  }

  onWrite({ path, body }: TransportRequest): void {
    if (!path.includes('/secrets')) this.look(`a request for ${path.split('?')[0]}`, String(body ?? ''));
  }

  look(where: string, text: string): void {
    for (const [value, name] of this.#values)
      if (text.includes(value)) this.#simulation.fail(`I7: ${where} has what Secret ${name} holds`);
  }

  #learn({ metadata, data = {} }: Secret): void {
    for (const encoded of Object.values(data)) {
      const texts = [encoded, Buffer.from(encoded, 'base64').toString('utf8')];
      for (const text of texts) if (text.length >= shortest) this.#values.set(text, metadata?.name ?? '');
    }
  }
}
