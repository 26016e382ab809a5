// SPDX-License-Identifier: Apache-2.0
/** Labs whose network is IPv6 alone, or has both families: pods, names, Services and faults. */
import { pods, services } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createImageTable, nodeImage } from './images/index.ts';
import { type Lab, type LabOptions, startLab } from './lab.ts';

const namespace = 'default';

/** Answers every connection with one word after it has received one. */
const serve = 'net.createServer((s) => s.once("data", () => s.end("pong"))).listen(8080)';
/** Prints its addresses and the answer or error of each target. */
const ask = `
  const one = (target) => new Promise((resolve) => {
    const [, host, port] = /^(.*):(.*)$/.exec(target);
    const socket = net.connect({ host, port: Number(port) }, () => socket.write('ping'));
    socket.setTimeout(1500, () => { socket.destroy(); resolve('silence'); });
    socket.on('data', (bytes) => resolve(String(bytes)));
    socket.on('error', (error) => resolve(error.code));
  });
  (async () => {
    const answers = [];
    for (const target of process.env.TARGETS.split(',')) answers.push(await one(target));
    const own = Object.values(os.networkInterfaces()).flat().map(({ address }) => address).sort();
    process.stdout.write(JSON.stringify({ answers, own, ips: process.env.IPS }), () => process.exit());
  })();
`;

/** A server behind three Services: one is headless, one has a cluster IP, one wants both families. */
async function start(ipFamilies: NonNullable<LabOptions['ipFamilies']>): Promise<Lab> {
  const image = (argv: string) => ({ latest: nodeImage({ directories: [], argv: ['-e', argv] }) });
  const images = createImageTable([
    { repositories: ['server'], tags: image(serve) },
    { repositories: ['asker'], tags: image(ask) },
  ]);
  const lab = await startLab({ images, ipFamilies });
  const client = lab.client();
  const ports = [{ port: 80, targetPort: 8080 }];
  const own = { peers: { clusterIP: 'None' }, web: {}, both: { ipFamilyPolicy: 'PreferDualStack' } } as const;
  for (const [name, more] of Object.entries(own))
    await client
      .resource(services)
      .create({ metadata: { name, namespace }, spec: { selector: { app: 'web' }, ports, ...more } });
  const container = { name: 'main', image: 'server', readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 } };
  await client.resource(pods).create({
    metadata: { name: 'web', namespace, labels: { app: 'web' } },
    spec: { hostname: 'web', subdomain: 'peers', containers: [container] },
  });
  while (!(await client.resource(pods).get(web)).status?.containerStatuses?.[0]?.ready)
    await new Promise((resolve) => setTimeout(resolve, 50));
  return lab;
}

const web = { namespace, name: 'web' };
const service = async (lab: Lab, name: string) => (await lab.client().resource(services).get({ namespace, name })).spec;
let count = 0;

/** The answers of each target to a new pod. */
async function asked(lab: Lab, ...targets: readonly string[]) {
  const metadata = { namespace, name: `asker-${++count}` };
  const env = [
    { name: 'TARGETS', value: targets.join(',') },
    { name: 'IPS', valueFrom: { fieldRef: { fieldPath: 'status.podIPs' } } },
  ];
  const containers = [{ name: 'main', image: 'asker', env }];
  const resource = lab.client().resource(pods);
  await resource.create({ metadata, spec: { restartPolicy: 'Never', containers } });
  await expect.poll(async () => (await resource.get(metadata)).status?.phase).toBe('Succeeded');
  const options = { container: 'main', follow: false, previous: false, timestamps: false };
  const log = await lab.proxy.log(await resource.get(metadata), options, AbortSignal.timeout(60_000));
  let text = '';
  for await (const bytes of log) text += Buffer.from(bytes).toString();
  return JSON.parse(text) as { readonly answers: readonly string[]; readonly own: readonly string[]; ips: string };
}

describe('IPv6 alone', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await start(['IPv6']);
  });
  afterAll(() => lab?.stop());

  test('pods have no address of IPv4 but that of loopback, and are found by name, behind Services and from the host', async () => {
    const { podIP, podIPs } = (await lab.client().resource(pods).get(web)).status ?? {};
    expect([podIP, podIPs]).toEqual(['fd00:10:244:1::2', [{ ip: 'fd00:10:244:1::2' }]]);
    for (const name of ['web', 'both'])
      expect(await service(lab, name)).toMatchObject({
        ipFamilies: ['IPv6'],
        clusterIPs: [expect.stringMatching(/^fd00:10:96::/)],
      });
    const { answers, own, ips } = await asked(lab, `${podIP}:8080`, 'web.peers:8080', 'web:80', 'both:80');
    expect(answers).toEqual(['pong', 'pong', 'pong', 'pong']);
    expect(own).toEqual(['127.0.0.1', '::1', ips]);
    const socket = await lab.dial({ service: 'web' }, 80);
    socket.write('ping');
    const heard: Buffer[] = [];
    for await (const bytes of socket) heard.push(bytes as Buffer);
    expect(Buffer.concat(heard).toString()).toBe('pong');
  });

  test('cut connections transfer nothing, and slow ones are late', async () => {
    const cut = await lab.faults.network.isolate({ pod: web });
    expect((await asked(lab, 'web.peers:8080')).answers).toEqual(['silence']);
    await cut.heal();
    await using _slow = await lab.faults.network.slow({ pod: web }, { latencyMilliseconds: 2000 });
    await expect.poll(async () => (await asked(lab, 'web.peers:8080')).answers).toEqual(['silence']);
  });
});

describe('both families, IPv6 first', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await start(['IPv6', 'IPv4']);
  });
  afterAll(() => lab?.stop());

  test('pods have an address of each, and a Service has both if it asks for them', async () => {
    const { podIP, podIPs } = (await lab.client().resource(pods).get(web)).status ?? {};
    expect([podIP, podIPs]).toEqual(['fd00:10:244:1::2', [{ ip: 'fd00:10:244:1::2' }, { ip: '10.244.1.2' }]]);
    expect(await service(lab, 'web')).toMatchObject({ ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' });
    const { clusterIPs = [], ipFamilies } = (await service(lab, 'both')) ?? {};
    expect(ipFamilies).toEqual(['IPv6', 'IPv4']);
    expect(clusterIPs).toEqual([expect.stringMatching(/^fd00:10:96::/), expect.stringMatching(/^10\.96\./)]);
    const targets = [...clusterIPs.map((address) => `${address}:80`), '10.244.1.2:8080', 'web:80', 'web.peers:8080'];
    expect((await asked(lab, ...targets)).answers).toEqual(targets.map(() => 'pong'));
  });
});
