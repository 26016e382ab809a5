// SPDX-License-Identifier: Apache-2.0
import { clusterRoleBindings, clusterRoles, createClient } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { createLogger, type LogRecord, VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { until } from '../../testing/until.ts';
import { NodeAccess } from './node-access.ts';

/** An operator with only the permissions that every account has asks for access. Time advances only when the test advances it. */
function scene() {
  const server = createApiServer({});
  const clock = new VirtualClock();
  const lines: LogRecord[] = [];
  let granted = 0;
  const access = new NodeAccess({
    client: createClient(server.transport({ user: 'operator', groups: ['system:authenticated'] })),
    clock,
    log: createLogger({ clock, level: 'info', write: (line) => lines.push(line) }),
    onGranted: () => granted++,
  });
  const admin = createClient(server.transport());
  const grant = async (...verbs: string[]) => {
    const rules = [{ apiGroups: [''], resources: ['nodes'], verbs }];
    await admin.resource(clusterRoles).create({ metadata: { name: 'nodes' }, rules });
    await admin.resource(clusterRoleBindings).create({
      metadata: { name: 'nodes' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'nodes' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'operator' }],
    });
  };
  const said = () => lines.map(({ message }) => message.split(':')[0]);
  const hears = (count: number) =>
    until('an answer', async () => (lines.length >= count ? true : undefined), { milliseconds: 5_000, log: lines });
  return { server, clock, access, grant, said, hears, granted: () => granted };
}

describe('an operator of one namespace', () => {
  test('reads nodes where it may', async () => {
    const { server, access, grant, said, granted } = scene();
    await grant('list', 'watch');
    await access.run(new AbortController().signal);
    expect(granted()).toBe(1);
    expect(said()).toEqual(['nodes can be read']);
    await server.close();
  });

  test('says once that it may not, and notices when it may', async () => {
    const { server, clock, access, grant, said, hears, granted } = scene();
    const running = access.run(new AbortController().signal);
    await hears(1);
    for (let minute = 0; minute < 5; minute++) await clock.advance(60_000);
    expect(said()).toEqual(['nodes cannot be read, so the operator does not know which nodes are lost']);
    expect(granted()).toBe(0);
    await grant('list', 'watch');
    await clock.advance(60_000);
    await running;
    expect(said()).toEqual([
      'nodes cannot be read, so the operator does not know which nodes are lost',
      'nodes can be read',
    ]);
    expect(granted()).toBe(1);
    await server.close();
  });

  test('needs both rights, and ends when it is told to', async () => {
    const { server, access, grant, hears, granted } = scene();
    await grant('list');
    const stop = new AbortController();
    const running = access.run(stop.signal);
    await hears(1);
    stop.abort();
    await running;
    expect(granted()).toBe(0);
    await server.close();
  });
});
