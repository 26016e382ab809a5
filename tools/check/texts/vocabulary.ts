// SPDX-License-Identifier: Apache-2.0
import type { Check, Problem } from '../check.ts';
import { lineAt, parse, walk } from '../code/syntax.ts';
import { isGenerated, isTest, sourceFiles } from '../tree.ts';

/** Words that users of Kubernetes and etcd do not know in this sense, and what to say instead. */
const banned: readonly { readonly pattern: RegExp; readonly say: string }[] = [
  { pattern: /\bfound(?:s|ed|er|ers|ing)\b|(?<!-)\bbirth\b|\bborn\b/i, say: 'bootstrap, first member, seed member' },
  { pattern: /(?<!-)\blife\b(?!-)|\blives\b/i, say: 'incarnation' },
  { pattern: /\bjoiners?\b/i, say: 'joining member' },
  {
    pattern: /\b(?:some|any|every)(?:body|one)\b(?! who may\b)|\bnobody\b/i,
    say: 'the member, pod, user or operator that is meant',
  },
  { pattern: /\bstrangers?\b|\bforeign member/i, say: 'unmanaged member' },
  {
    pattern: /\bg(?:ive|ives|iven|iving|ave)(?: it| them)? up\b|\bstr(?:ike|ikes|uck) off\b|\blets? go\b/i,
    say: 'remove, replace, abort',
  },
  { pattern: /\banew\b/i, say: 'recreate, restart' },
  { pattern: /\bway back\b|\b(?:put|puts|putting)(?: it| them)? back\b/i, say: 'roll back to, restore' },
  { pattern: /\blatch(?:es|ed)?\b/i, say: 'record the cluster ID' },
  { pattern: /\bdisarm(?:s|ed|ing)?\b(?![^.]*\balarm)(?<!\balarm[^.]*)/i, say: 'clear the bootstrap configuration' },
  {
    pattern: /\bfenc(?:e|es|ed|ing)\b(?! by the lease|`)|\bbehind \w+ Services?\b/i,
    say: 'isolate, remove from the Service endpoints',
  },
  { pattern: /\bst(?:ands?|ood|anding) back\b/i, say: 'reconciliation is suspended' },
  { pattern: /\bsurges?\b/i, say: 'rolling update' },
  { pattern: /\bwaited for\b|\bon (?:its|their) way up\b/i, say: 'waiting for X' },
  { pattern: /\bthe original\b|\bold operator\b/i, say: 'CoreOS etcd-operator' },
  { pattern: /\bcome(?:s)? to an end\b/i, say: 'Terminating, stuck terminating' },
  { pattern: /\bvolume claims?\b|\bclaim of its own\b/i, say: 'PersistentVolumeClaim (PVC)' },
  { pattern: /\bsilen(?:t|ce)\b(?!-)/i, say: 'not reachable from the operator' },
  { pattern: /\bmishaps?\b|\bin its own time\b/i, say: 'failure, retry in 30 s' },
  {
    pattern: /\bcannot be meant\b|(?<!there )\bis none\b(?! of)|\bas ever\b|\bwithout effect\b/,
    say: 'valid, invalid, required, deprecated, ignored',
  },
  { pattern: /\bknows? no leader\b/, say: 'reachable, no leader' },
  { pattern: /\bend(?:s|ed|ing)? well\b/i, say: 'succeed, fail' },
  {
    pattern: /\bmore than (?:it|they) bears?\b|\bbears? (?:no|another|one)\b/i,
    say: 'exceeds, tolerates, at most, at least',
  },
  {
    pattern: /(?<!\bthere )\bis no (?:JSON|YAML|PEM|time|listing|order|duration|quantity|option|certificate)\b/,
    say: 'is not a valid X',
  },
  { pattern: /\bgo together\b/i, say: 'cannot be used together' },
  { pattern: /\bwho(?:m|se)?ever\b/i, say: 'the member, user or object that is meant' },
  { pattern: /\bproves nothing\b|\bcalled off\b|\bfor good\b/i, say: 'not certain, aborted, permanently' },
];

/** Numbers in texts of the product; `_` stands for an inserted value. */
const uncounted: typeof banned = [
  {
    pattern:
      /_ (?:(?:healthy|started|other|more|earlier) )?(?:voters|members|learners|pods|nodes|steps|lines|restores|backups)\b/,
    say: "counted(n, 'voter'), which knows 1",
  },
  { pattern: /_ are (?:needed|wanted)\b/, say: 'isOrAre(n), which knows 1' },
];

/** Words that have another meaning for readers who know etcd. */
const ambiguous: typeof banned = [
  { pattern: /\b(?:the|a|this|such a|object) stores?\b(?!-)/i, say: 'backup store (etcd has a store of its own)' },
  { pattern: /\bsegments? of (?:the )?(?:recorded )?changes\b/i, say: 'change segment of the continuous backup' },
];

/** Words for our own devices that readers of a message do not know. In pages, which explain them, they are allowed. */
const jargon: typeof banned = [
  {
    pattern:
      /\braft logs?\b|\blogs? (?:of (?:only|members? [\w$]|a (?:running|stopped))|ends?|entries|contradicts?|on the volume)\b|\bread the log\b/i,
    say: 'write-ahead log (WAL), or container logs',
  },
  { pattern: /(?<![-.`'"\w])proofs?\b(?! (?:pod|that)|['`:?])/, say: 'test restore' },
  {
    pattern:
      /\b(?:is|are|was|were|be|been|being|newest|each|last|not) proven\b|\b(?:to|and) prove (?:it|a|the)\b|\bProves\b/i,
    say: 'tested by restoring it, passed a test restore',
  },
];

/** Words that are unclear to readers of the code, too: not allowed in comments, names of tests or identifiers. */
const unclear: typeof banned = [
  { pattern: /\banew\b/i, say: 'recreate, restart, again' },
  { pattern: /\bstrangers?\b/i, say: 'unmanaged member, another authority, or who is meant' },
  { pattern: /\bthe original\b/i, say: 'CoreOS etcd-operator' },
  { pattern: /\bearlier (?:life|lives)\b/i, say: 'previous incarnation' },
  { pattern: /\b(?:is|are) waited for\b/i, say: 'the operator waits for X' },
];

/** The files in which they are not allowed. */
const cleared =
  /^(apps\/operator\/src\/(?!backup\/|restore\/|storage\/)|tools\/(?!check\/texts\/|generate\/)|test\/.*\.ts$|example\/.*\.ts$|packages\/(?:crd|etcd|kube-lab|ports)\/|docs\/decisions\/)/;

/** Words whose meaning the reader has to guess. */
const vague: typeof banned = [
  { pattern: /\bwho(?:m|se)?ever\b/i, say: 'the caller, client, user or object that is meant' },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, say: 'fix, repair' },
  { pattern: /\bcall(?:s|ed)? off\b/i, say: 'abort, cancel' },
  { pattern: /\bfalls? silent\b/i, say: 'stops answering, sends nothing' },
];

/** The files in which they are not allowed either. */
const plainly =
  /^(packages|apps\/(?:playground|kubectl-etcd)|example|bench|test\/(?:conformance|e2e|guide)|tools(?!\/check\/texts\/))\//;

/** Sources whose texts users read, those of tools and examples included. kube-lab has many of Kubernetes' own words. */
const covered = /^(apps|packages|example|tools)\/(?!check\/|mutants\/)/;

/** Sources whose numbers are told users of a cluster. */
const counting =
  /^(apps\/(?:operator|kubectl-etcd|playground)|packages\/(?:blob|controller-runtime|crd|etcd|kube))\/src\//;

/** Sources of which every line is read by users: comments of `api/` become pages of the reference. */
const published = /^(?:apps\/operator\/src\/api\/(?!.*\.test\.)|docs\/guide\/)/;

/** Pages and manifests that users read. Decisions, changes and rules are history, or for those who change the code. */
const written =
  /^(?:(?:docs\/(?:guide|reference|security|rules)|deploy|example|packages|apps)\/.*\.(?:md|ya?ml|tpl|txt|sh)|docs\/[^/]*\.md|[A-Z]+\.md)$/;

/** Checks texts for users: literals with a blank in them, and pages. */
export const vocabulary: Check = {
  name: 'words of user-facing texts',
  async run(tree) {
    const files = sourceFiles(tree).filter((file) => covered.test(file) && !isTest(file));
    const pages = tree.files.filter((file) => written.test(file) && !isGenerated(file) && file !== 'CHANGELOG.md');
    const plain = tree.files.filter((file) => cleared.test(file) && /\.(ts|md)$/.test(file));
    const publicly = tree.files.filter((file) => published.test(file) && /\.(ts|md)$/.test(file));
    const vaguely = tree.files.filter((file) => plainly.test(file) && file.endsWith('.ts'));
    const problems = [
      ...files.flatMap((file) => problemsInSource(file, tree.read(file))),
      ...pages.flatMap((file) => problemsInPage(file, tree.read(file), banned)),
      ...plain.flatMap((file) => problemsInPage(file, tree.read(file), unclear)),
      ...publicly.flatMap((file) => problemsInPage(file, tree.read(file), ambiguous)),
      ...vaguely.flatMap((file) => problemsInPage(file, tree.read(file), vague)),
    ];
    return { problems: [...new Map(problems.map((problem) => [keyOf(problem), problem])).values()] };
  },
};

/** A word on both lists is reported once. */
function keyOf({ file, line, message }: Problem): string {
  return `${file}:${line}:${message.split(':')[0]}`;
}

function problemsInSource(file: string, text: string): readonly Problem[] {
  const list = counting.test(file) ? [...banned, ...uncounted, ...ambiguous, ...jargon] : banned;
  const problems: Problem[] = [];
  walk(parse(file, text), (node) => {
    const words = textOf(node);
    if (words !== undefined && /\w \w/.test(words)) {
      const line = lineAt(text, node.start);
      problems.push(...problemsOf(words, list, () => ({ file, line })));
    }
  });
  return problems;
}

/**
 * A sentence goes on in the next line. Names of tests and targets of links are not the page's own words. Reference pages
 * are generated from descriptions and comments in `api/`.
 */
function problemsInPage(file: string, text: string, list: typeof banned): readonly Problem[] {
  const sentences = text
    .replace(/\n(?=[\w`*(])/g, ' ')
    .replace(/(?<=\[)[^\]]*\]\([^)]*\.test\.ts(?=\))|(?<=\]\()[^)]*/g, (link) => '-'.repeat(link.length));
  return problemsOf(sentences, list, (index) => ({ file, line: lineAt(text, index) }));
}

function problemsOf(
  words: string,
  list: typeof banned,
  placeOf: (index: number) => { readonly file: string; readonly line: number },
): readonly Problem[] {
  return list.flatMap(({ pattern, say }) =>
    [...words.matchAll(new RegExp(pattern, `${pattern.flags}g`))].map((match) => {
      const message = `"${match[0]}" is not in our vocabulary: say ${say} (tools/check/texts/vocabulary.ts)`;
      return { rule: 'no-private-dialect', ...placeOf(match.index), message };
    }),
  );
}

/** The text of a string literal, or of a template with `_` for inserted values. */
function textOf(node: { readonly type: string; readonly [field: string]: unknown }): string | undefined {
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value'];
  if (node.type !== 'TemplateLiteral' || !Array.isArray(node['quasis'])) return undefined;
  return node['quasis']
    .map((quasi: { readonly value?: { readonly cooked?: string } }) => quasi.value?.cooked)
    .join('_');
}
