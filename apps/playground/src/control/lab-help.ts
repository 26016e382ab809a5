// SPDX-License-Identifier: Apache-2.0

/** A command for a second terminal: its name, its purpose, and its syntax. */
interface LabCommand {
  readonly words: string;
  readonly does: string;
  readonly examples: readonly string[];
}

const commands: Readonly<Record<string, LabCommand>> = {
  status: { words: 'status', does: 'prints what the playground shows on its screen', examples: ['status'] },
  events: { words: 'events', does: 'prints events as they happen, until Ctrl-C', examples: ['events'] },
  kill: {
    words: 'kill MEMBER',
    does: "deletes a member's pod at once, and its data with it",
    examples: ['kill example-5h2w6t8k4p'],
  },
  blank: {
    words: 'blank MEMBER',
    does: "deletes a member's data and kills its process",
    examples: ['blank example-5h2w6t8k4p'],
  },
  lose: {
    words: 'lose MEMBER',
    does: 'permanently loses all members but one, with their data',
    examples: ['lose example-5h2w6t8k4p'],
  },
  recover: {
    words: 'recover',
    does: 'recovers a cluster without a quorum from the remaining members',
    examples: ['recover'],
  },
  cut: { words: 'cut NODE', does: 'disconnects a node from the network', examples: ['cut node-2'] },
  heal: { words: 'heal [NODE]', does: 'reconnects one node, or all nodes', examples: ['heal', 'heal node-2'] },
  reboot: { words: 'reboot', does: 'reboots all nodes at the same moment', examples: ['reboot'] },
  resize: { words: 'resize N', does: 'sets spec.size', examples: ['resize 5'] },
  upgrade: {
    words: 'upgrade [X.Y]',
    does: 'sets spec.version; without a version, to the next minor',
    examples: ['upgrade', 'upgrade 3.7'],
  },
  backup: { words: 'backup', does: "backs the cluster up to the playground's S3 server", examples: ['backup'] },
  restore: { words: 'restore', does: 'restores the last backup', examples: ['restore'] },
  renew: { words: 'renew', does: 'creates the cluster again, empty, after it has lost its data', examples: ['renew'] },
  apply: {
    words: 'apply FILE',
    does: 'applies the objects of a file',
    examples: ['apply example/example-etcd-cluster.yaml'],
  },
  shell: {
    words: 'shell [COMMAND ...]',
    does: 'opens a shell with KUBECONFIG, ETCDCTL_ENDPOINTS, AWS_DIR and PATH set',
    examples: ['shell', 'shell kubectl get pods', 'shell etcdctl put hello world'],
  },
};

export const labCommands: readonly string[] = Object.keys(commands);

const all = `Usage: npm run lab -- COMMAND

Runs a command against the playground in another terminal (started with npm start). It acts on the cluster shown there:

${Object.values(commands)
  .map(({ words, does }) => `  ${words.padEnd(20)} ${does}`)
  .join('\n')}

npm run lab -- COMMAND --help shows examples. If several playgrounds are running, choose one with PLAYGROUND=PID.
`;

/** The help for one command; for all if the command is unknown. */
export function labHelp(verb: string | undefined): string {
  const command = verb !== undefined && Object.hasOwn(commands, verb) ? commands[verb] : undefined;
  if (!command) return all;
  const { words, does, examples } = command;
  const lines = examples.map((example) => `  npm run lab -- ${example}\n`).join('');
  return `npm run lab -- ${words}: ${does}.\n\nExamples:\n${lines}`;
}
