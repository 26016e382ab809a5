// SPDX-License-Identifier: Apache-2.0
import { parse } from 'yaml';
import type { Check, Problem } from '../check.ts';
import type { Tree } from '../tree.ts';

type Fields = Readonly<Record<string, unknown>>;

const known = {
  workflow: ['name', 'on', 'permissions', 'concurrency', 'defaults', 'env', 'jobs'],
  job: ['name', 'needs', 'if', 'runs-on', 'timeout-minutes', 'permissions', 'strategy', 'env', 'steps'],
  step: ['name', 'id', 'if', 'run', 'uses', 'with', 'env', 'working-directory'],
};

/**
 * Workflow files cannot be run here. This checks without running them: their structure, that they call our npm
 * commands, and that they use no actions or untrusted text of others.
 */
export const workflows: Check = {
  name: 'workflow files',
  async run(tree) {
    const files = tree.files.filter((file) => /^\.github\/workflows\/[^/]+\.ya?ml$/.test(file));
    const problems = files.flatMap((file) =>
      wrongWith(tree, parse(tree.read(file)) as Fields).map((message) => ({ rule: 'workflow', file, message })),
    );
    return { problems: problems satisfies Problem[] };
  },
};

function wrongWith(tree: Tree, workflow: Fields): readonly string[] {
  const jobs = Object.entries(fieldsOf(workflow['jobs']));
  return [
    ...unknownFields('the workflow', workflow, known.workflow),
    ...unless('permissions' in workflow, 'say "permissions: contents: read", or what else it needs'),
    ...unless(jobs.length > 0, 'it has no job'),
    ...jobs.flatMap(([name, job]) => wrongWithJob(tree, name, fieldsOf(job))),
  ];
}

function wrongWithJob(tree: Tree, name: string, job: Fields): readonly string[] {
  const steps = Array.isArray(job['steps']) ? job['steps'].map(fieldsOf) : [];
  const commands = Object.values(fieldsOf(fieldsOf(job['strategy'])['matrix'])).flat();
  const scripts = scriptsOf(tree);
  return [
    ...unknownFields(`job ${name}`, job, known.job),
    ...unless(/-\d/.test(String(job['runs-on'])), `job ${name}: name the version of the runner, not the latest`),
    ...unless(typeof job['timeout-minutes'] === 'number', `job ${name}: set timeout-minutes`),
    ...unless(steps.length > 0, `job ${name} has no step`),
    ...commands.flatMap((one) => unless(scripts.includes(String(one)), `job ${name}: "${one}" is no npm script`)),
    ...steps.flatMap((step) => wrongWithStep(scripts, `job ${name}, step ${step['name'] ?? '?'}`, step)),
  ];
}

function wrongWithStep(scripts: readonly string[], where: string, step: Fields): readonly string[] {
  const { run, uses } = step as { readonly run?: string; readonly uses?: string };
  const called = [...(run ?? '').matchAll(/\bnpm run (?:--silent )?([a-z][\w:-]*)/g)].map(([, script = '']) => script);
  return [
    ...unknownFields(where, step, known.step),
    ...unless((run === undefined) !== (uses === undefined), `${where}: either run or uses`),
    ...unless(uses === undefined || /@[0-9a-f]{40}$/.test(uses), `${where}: pin ${uses} to a commit`),
    ...unless(!run?.includes('${{'), `${where}: hand values over by env, where a shell does not read them as commands`),
    ...called.flatMap((script) => unless(scripts.includes(script), `${where}: "${script}" is no npm script`)),
  ];
}

function unknownFields(where: string, fields: Fields, names: readonly string[]): readonly string[] {
  return Object.keys(fields).flatMap((key) => unless(names.includes(key), `${where}: "${key}" is not known here`));
}

function unless(isFine: boolean, message: string): readonly string[] {
  return isFine ? [] : [message];
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function scriptsOf(tree: Tree): readonly string[] {
  return Object.keys(fieldsOf((JSON.parse(tree.read('package.json')) as Fields)['scripts']));
}
