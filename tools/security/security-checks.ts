// SPDX-License-Identifier: Apache-2.0
/**
 * The security requirements of the operator, and the tests that prove them. docs/security/checks.md is generated from
 * this list, and `npm run check` fails for a row without a test, or with one that does not exist.
 */

/** One requirement. */
export interface SecurityCheck {
  readonly number: number;
  readonly sentence: string;
  /** Each as `file > name`, as vitest prints it. */
  readonly tests: readonly `${string} > ${string}`[];
  /** The part that no test proves yet. */
  readonly open?: string;
}

const operator = 'apps/operator/src';

export const securityChecks: readonly SecurityCheck[] = [
  {
    number: 1,
    sentence:
      'Roles name every verb and every resource. No role may list Secrets. An operator of one namespace needs nothing outside of it, and the Secrets that a cluster-wide one may read can be limited to namespaces.',
    tests: [
      'tools/deploy/deploy-files.test.ts > name every verb and every resource',
      'tools/deploy/deploy-files.test.ts > no role lists secrets',
      'tools/deploy/deploy-files.test.ts > of one namespace need nothing outside of it',
      'tools/deploy/deploy-files.test.ts > the chart can limit the Secrets of a cluster-wide operator to namespaces',
      `${operator}/rights.lab.test.ts > where Secrets of a namespace are not granted, a backup there says so, and others are made`,
    ],
  },
  {
    number: 2,
    sentence:
      'The table of rights is what the programs call: nothing is missing, and nothing is unused, for each program.',
    tests: [
      `${operator}/rights.lab.test.ts > the etcd-operator uses its rights, all of them, and needs no other`,
      `${operator}/rights.lab.test.ts > the etcd-backup-operator uses its rights, all of them, and needs no other`,
      `${operator}/rights.lab.test.ts > the etcd-restore-operator uses its rights, all of them, and needs no other`,
      'test/e2e/rbac.alone.e2e.test.ts > the operator uses all of its rights',
    ],
  },
  {
    number: 3,
    sentence: 'The operator and every pod that it makes pass the restricted Pod Security Standard.',
    tests: [
      `${operator}/cluster/objects/pod-policy.test.ts > by default every container satisfies the restricted level`,
      'test/e2e/manifests.e2e.test.ts > of an operator for one namespace are accepted without a warning',
    ],
  },
  {
    number: 4,
    sentence: 'Pods of members get no token for the API server.',
    tests: [`${operator}/cluster/objects/no-token.test.ts > security check: no pod has a token of a service account`],
  },
  {
    number: 5,
    sentence: 'What an object names (Secrets, volumes, backups) is looked up in its own namespace.',
    tests: [
      `${operator}/backup/act/member/secured.lab.test.ts > security rule 5: every reference is resolved in the namespace of the object`,
      `${operator}/restore/cluster-wide.lab.test.ts > cluster-wide, security rule 5: stores and Secrets of another namespace are out of reach`,
    ],
  },
  {
    number: 6,
    sentence: 'The schema refuses invalid values. Flags that the operator sets itself cannot be set by others.',
    tests: [
      `${operator}/api/etcd-cluster.test.ts > what is refused at admission, in words`,
      `${operator}/hostile.lab.test.ts > each is taken, or refused with a sentence`,
      'packages/etcd/src/rules/flags/env-check.test.ts > operator rule 11: reserved names',
    ],
  },
  {
    number: 7,
    sentence: 'No shell runs, and nothing of an object reaches one.',
    tests: [
      `${operator}/cluster/objects/pod-policy.test.ts > of %s need no shell and no certificate, with TLS or without`,
      `${operator}/restore/objects/seed-pod.test.ts > [98] is restored by the own tool of %s, without a shell`,
    ],
  },
  {
    number: 8,
    sentence:
      'Endpoints lead neither to loopback, link-local and metadata addresses, by name or by redirect, nor where patterns of the administrator forbid. Credentials go to no other host.',
    tests: [
      'packages/blob/src/endpoint/address-rules.test.ts > %s is refused',
      'packages/blob/src/endpoint/guarded-agents.test.ts > to a name are made to the addresses it was checked by',
      'packages/blob/src/endpoint/guarded-agents.test.ts > redirects are answers, not orders',
      `${operator}/storage/open-store.test.ts > security rule 8: the operator may narrow endpoints to patterns`,
      `${operator}/storage/open-store.test.ts > never go to a store that the object chose: %s of %j`,
      `${operator}/backup/observe/hostile.lab.test.ts > security rule 8: endpoints of etcd`,
    ],
  },
  {
    number: 9,
    sentence: 'Keys and paths stay below their prefix and their volume; symbolic links are not followed.',
    tests: [
      'packages/blob/src/object-key.test.ts > that are accepted never lead out of a directory',
      'packages/blob/src/directory/directory-paths.test.ts > of directories are not followed, in no call',
      `${operator}/backup/act/stored/stores.lab.test.ts > security rule 9: a path that leads out of the volume is refused`,
      `${operator}/storage/open-store.test.ts > with a prefix, a namespace keeps to its part of a bucket`,
    ],
  },
  {
    number: 10,
    sentence: 'Nothing of ours serves backup data: it is brought to the one pod that has the key of the restore.',
    tests: [
      `${operator}/restore/delivery/delivery.test.ts > nothing can be sent to the new member`,
      `${operator}/restore/delivery/delivery.test.ts > there is no plain HTTP, and nothing to be read`,
      `${operator}/restore/delivery/delivery.test.ts > one who only pretends to be the agent gets nothing`,
    ],
  },
  {
    number: 11,
    sentence: 'TLS is always verified: authority, name and time.',
    tests: [
      'packages/etcd/src/client/secured.lab.test.ts > is refused under another name',
      'packages/etcd/src/client/secured.lab.test.ts > refuses a client without a certificate, or with one of another CA; this is reported as a TLS error',
      'packages/etcd/src/client/secured.lab.test.ts > may replace its certificate while it runs; one that has expired is refused',
      'tools/check/texts/named-tests.test.ts > no source turns verification of certificates off',
    ],
    open: 'metrics of members (port 2381) are plain HTTP; a network policy closes them',
  },
  {
    number: 12,
    sentence:
      'Members prove themselves to each other and ask clients for certificates; certificates are replaced without a restart.',
    tests: [
      `${operator}/cluster/secrets/certificate-check.test.ts > both usages are needed of a member`,
      `${operator}/cluster/secrets/certificate-check.test.ts > one of another authority is not trusted`,
      `${operator}/cluster/secrets/tls-rotation.lab.test.ts > fault 47: members show the new ones without any restart, and the operator goes on with its own`,
    ],
    open: 'certificates come from the user: TLS is not on by default',
  },
  {
    number: 13,
    sentence: 'Secrets are in Secrets: not in a status, an event, a log, a label, an argument or a variable of a pod.',
    tests: [
      `${operator}/cluster/objects/objects.test.ts > security check: no secret value and no password is in any object`,
      `${operator}/programs/etcd-restore-agent.test.ts > says what is wrong, and its key is never in what it says`,
    ],
  },
  {
    number: 14,
    sentence: 'Secrets that are easy to find turn up nowhere.',
    tests: [
      `${operator}/backup/act/one-shot.lab.test.ts > security rule 14: no secret is in a log, an event or a status`,
      `${operator}/cluster/secrets/auth.lab.test.ts > no password is in a log, an event or a status`,
      'packages/ports/src/logger.test.ts > a field called %s is masked at any depth, in arrays too',
    ],
    open: 'looked for by the tests that use secrets, not over all logs of the end-to-end tier; no core dump is looked at',
  },
  {
    number: 15,
    sentence:
      'A backup is recorded with its hash, and other bytes are not restored. It can be encrypted by the store, and before it leaves the operator; then it is restored with its key alone.',
    tests: [
      `${operator}/restore/encrypted.lab.test.ts > shows nothing of the data in the store, and its manifest names the key and both hashes`,
      `${operator}/restore/encrypted.lab.test.ts > is refused with another key, without one, damaged or plain where it must be encrypted, or with a manifest written without it, and the cluster is untouched`,
      `${operator}/restore/encrypted.lab.test.ts > is restored with its key, to the same HashKV, and what is saved before that is encrypted as well`,
      `${operator}/storage/encryption/file-format.test.ts > of which any bit was flipped is refused`,
      `${operator}/storage/encryption/file-format.test.ts > that was cut anywhere, or has more at its end, is refused`,
      `${operator}/storage/encryption/file-format.test.ts > is refused in any other order, with chunks left out, or repeated`,
      'packages/blob/src/s3/at-rest.lab.test.ts > is asked for with every object of %i bytes, whether or not it has parts',
      'packages/blob/src/s3/at-rest.lab.test.ts > that the store does not confirm for %i bytes is an error, and nothing stays',
      'packages/blob/src/azure/encryption-scope.lab.test.ts > the encryption scope goes with every request that stores something, and with no other',
      'packages/blob/src/gcs/kms-key.lab.test.ts > the key of Cloud KMS goes with every upload that is begun, in one piece or in several',
      `${operator}/restore/source/verify-source.lab.test.ts > every one that is %s (%i) is refused`,
      'packages/etcd/src/snapshot/verify-snapshot.test.ts > any flipped bit is found, and the last 32 bytes are never let through',
      'packages/blob/src/oss/oss-encryption.lab.test.ts > is asked for where OSS takes it, and confirmed, for %i bytes',
    ],
    open: 'no store of the tests encrypts: that it is asked to is seen on the wire; keys of a key management service for client-side encryption',
  },
  {
    number: 16,
    sentence: 'Retention deletes nothing but its own, and nothing that is locked.',
    tests: [
      `${operator}/backup/plan/periodic.lab.test.ts > [80] D18: retention leaves everything alone that is not its own, among a thousand others`,
      `${operator}/backup/act/stored/prune.test.ts > leaves what it got the manifest of another name for`,
      `${operator}/backup/act/stored/prune.test.ts > leaves what the store has locked, deletes what it has not, and says so`,
      'packages/blob/src/s3/at-rest.lab.test.ts > keeps an object of %i bytes from being deleted or replaced',
      'packages/blob/src/azure/immutability.lab.test.ts > is an immutability policy of a blob of %i bytes',
      'packages/blob/src/gcs/retention.lab.test.ts > is the retention of an object of %i bytes, which is not deleted or replaced',
      `${operator}/backup/act/stored/at-rest.lab.test.ts > keeps more than maxBackups, says why, and goes on`,
    ],
    open: 'locks of Azure and Google',
  },
  {
    number: 17,
    sentence:
      'Admission needs no webhook of ours: policies in the API server fail closed. The webhook server of the runtime limits time, size and number.',
    tests: [
      'tools/deploy/admission-policy.conformance.test.ts > change or remove what the operator notes on a pod',
      'tools/deploy/admission-policy.conformance.test.ts > deleting: an account with the right to delete a pod or a volume needs no operator for it',
      'packages/controller-runtime/src/admission/webhook-server.test.ts > a review with an object of the largest size the API server takes passes; a longer body is refused',
      'packages/controller-runtime/src/admission/webhook-server.test.ts > an answer takes no longer than the API server waits, whether the handler obeys its signal or not',
    ],
  },
  {
    number: 18,
    sentence: 'Everything that comes from outside has a limit, and no key of it becomes a prototype.',
    tests: [
      'packages/blob/src/endpoint/capped.test.ts > an answer that is a byte longer is refused, and not read on',
      'packages/blob/src/endpoint/capped.test.ts > of an error the first 64 KiB are read, and the rest is left',
      'packages/etcd/src/client/member-client.test.ts > an answer beyond the limit is refused, not held in memory',
      'packages/etcd/src/client/wire/message.test.ts > a list that is longer than anything real is not decoded to its end',
      'packages/kube/src/patch/merge-patch.test.ts > never touches a prototype',
    ],
  },
  {
    number: 19,
    sentence:
      'Health and metrics answer at their paths alone. Metrics can be served over TLS, to accounts that may read them.',
    tests: [
      'packages/controller-runtime/src/manager/manager.test.ts > answers /healthz, /readyz and /metrics over HTTP, and nothing else',
      'packages/controller-runtime/src/metrics/secure-metrics.test.ts > are for an account that may get /metrics, and there is nothing else',
      'packages/controller-runtime/src/metrics/secure-metrics.test.ts > are not for an account that may not',
      'packages/controller-runtime/src/metrics/secure-metrics.test.ts > are not for a client without a name (%#)',
      `${operator}/secure-metrics.test.ts > with metrics over TLS the port of the probes tells none`,
    ],
    open: 'that no label of a metric is a secret is not looked for',
  },
  {
    number: 20,
    sentence:
      'Network policies let operators reach members, members each other, and clients the port of clients; egress is closed but for what is named.',
    tests: [
      'tools/deploy/network-policies.test.ts > lets %s reach %s at %s',
      'tools/deploy/network-policies.test.ts > does not let %s reach %s at %s',
      'tools/deploy/network-policies.test.ts > metrics of members are read from namespaces that are named, in the file and where the chart makes a PodMonitor, and from no other',
      `${operator}/network-policies.lab.test.ts > members bootstrap, grow and are replaced behind the policy, and others reach what they may`,
    ],
    open: 'policies are carried out by the lab, between pods; no engine of others is used',
  },
  {
    number: 21,
    sentence:
      'The image has one program and what it needs, no shell, a user who is not root, and is the same each time it is made. Its bill of materials and its signed provenance can be verified.',
    tests: [
      'tools/image/operator-image.test.ts > each program starts without anything installed and knows its version',
      'tools/image/operator-image.test.ts > the Containerfile starts it as the same user, with the same environment, and says the same of it',
      'tools/image/oci-archive.test.ts > is the same each time',
      'tools/image/attest.test.ts > what was built is verified with the public key, and its bill names packages and files of others',
      'tools/image/attest.test.ts > one byte more in %s is refused',
      'tools/check/files/base-images.test.ts > is nothing, an earlier stage, or pinned by digest',
    ],
    open: 'the image is not scanned',
  },
  {
    number: 22,
    sentence: 'Dependencies are pinned exactly, agree with the lock file, and run no script when they are installed.',
    tests: [
      'tools/check/files/manifests.test.ts > two workspaces that pin different versions of one package disagree',
      'tools/check/files/manifests.test.ts > a lockfile that records a download address is refused',
      'tools/check/files/lockfile.test.ts > an optional package without an entry is a problem',
      'tools/check/files/licences.test.ts > a package without a hash is a problem, in development as well',
      'tools/supply-chain/judge-audit.test.ts > an advisory holds up a release, once',
    ],
    open: 'signatures and provenance of what is downloaded',
  },
  {
    number: 23,
    sentence: 'Workflows use no actions of others, and decoders are fed with any bytes.',
    tests: [
      'tools/check/files/workflows.test.ts > workflow files',
      'packages/etcd/src/client/wire/message.test.ts > any bytes give a message or a WireError',
      'packages/etcd/src/snapshot/snapshot-facts.test.ts > whatever is damaged, the answer is facts or a SnapshotError, after a bounded number of reads',
    ],
    open: 'settings of the place that hosts the repository',
  },
  {
    number: 24,
    sentence: 'Versions of etcd with known holes are told.',
    tests: ['packages/etcd/src/rules/versions/advisories.test.ts > %s is exposed to %j'],
  },
  {
    number: 25,
    sentence: 'Each abuse that we could think of is tried (threat-model.md).',
    tests: ['tools/check/texts/named-tests.test.ts > the threat model names a test for each abuse'],
  },
];
