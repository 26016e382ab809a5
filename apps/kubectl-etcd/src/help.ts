// SPDX-License-Identifier: Apache-2.0

export const usage = `Shows and operates the etcd clusters that etcd-operator manages.

Usage:
  kubectl etcd doctor [CLUSTER] [-A]         problems, their causes and what to do; the most urgent first
  kubectl etcd list [-A]                     all clusters, one line each
  kubectl etcd status [CLUSTER] [--watch]    members, and what the operator does and why
  kubectl etcd events [CLUSTER]              events of the cluster, its pods, volumes, backups and restores
  kubectl etcd logs [CLUSTER] [--member MEMBER] [--follow] [--previous] [--tail LINES]
  kubectl etcd exec [CLUSTER] [--member MEMBER] [-i] -- etcdctl ...
                                             runs a command in a member's pod; etcdctl gets endpoints and certificates
  kubectl etcd operators                     which operators run, and what they manage
  kubectl etcd members [CLUSTER]             the present member list of etcd
  kubectl etcd plan [CLUSTER] [-f FILE]      what the operator would do, step by step, and whether quorum survives;
                                             with -f: after FILE is applied (- is standard input)
  kubectl etcd pause [CLUSTER]               the operator no longer changes or repairs the cluster
  kubectl etcd resume [CLUSTER]
  kubectl etcd backup list [CLUSTER] [-A]    EtcdBackups, with the times of their last backup and of their last successful test restore
  kubectl etcd backup list --stored | --store URL
                                             every stored backup, also if its Kubernetes cluster is gone
  kubectl etcd backup create [CLUSTER] --store URL --secret NAME [--add-time] [--name NAME] [--wait]
  kubectl etcd backup browse BACKUP [PREFIX] [--values] [--revision N]
                                             the keys in a backup, without restoring it
  kubectl etcd backup diff BACKUP live|BACKUP [PREFIX] [--values]
                                             the keys that differ between a backup and the cluster, or another backup
  kubectl etcd restore [CLUSTER] --store URL --secret NAME [--yes] [--wait]
  kubectl etcd recover [CLUSTER] [--member NAME] [--yes] [--wait]
                                             the members that a cluster without quorum can be recovered from; --yes recovers
  kubectl etcd move-leader [CLUSTER] [MEMBER]
                                             moves leadership to MEMBER, or to the follower with the most data
  kubectl etcd report [CLUSTER]              one document with the state of the cluster for support, without secrets

CLUSTER may be left out if the namespace has only one EtcdCluster. For examples, run kubectl etcd COMMAND --help.

Options:
  -o, --output FORMAT    wide, json or yaml
  -n, --namespace NAME   default: the namespace of the context
  -A, --all-namespaces   list, doctor and backup list: all namespaces that you may read
      --context NAME     context in the kubeconfig
      --kubeconfig FILE
      --version

Exit status: 0 success; 1 failure, or (doctor) a problem with urgency NOW; 2 the command line, the kubeconfig or a file cannot be
used, or --yes is missing; 3 (plan) quorum would be lost for a short time, or the operator would not apply the file,
or (backup diff) there are differences; exec has the exit status of its command.
`;

const store = `Options:
  --store URL            where the backup is: s3://BUCKET/KEY, abs://CONTAINER/KEY, gs://BUCKET/KEY, oss://BUCKET/KEY,
                         or directory://PATH in the operator's own directory
  --secret NAME          Secret with the credentials of the backup store; the guide lists its keys
  --endpoint URL         URL of the backup store, if the backup store is not that of the cloud provider
  --path-style           (S3) addresses buckets by path instead of by host name
  --s3-path BUCKET/KEY   older form of --store for S3, with --aws-secret NAME and --s3-endpoint URL
  --wait                 waits until the operation has succeeded or failed
  --timeout TIME         how long --wait waits: 90s, 10m (default 5m)
`;

const browsed = `BACKUP is the name of an EtcdBackup (the last backup that it stored), NAME:PATH (another backup that it stored), or a URL of any backup
(s3://, abs://, gs://, oss://, directory://). The backup is copied to a temporary file in TMPDIR and verified against its manifest and the
hash at its end before any key is shown. Write a PREFIX with binary bytes in the form in which keys are shown: '"\\x00a"'.

Options:
  --values               show values as well
  --revision N           the keys as they were at revision N; the backup must not have compacted this revision
  --at TIME              the keys as they were at that time, 2026-11-18T14:32:00Z, of an EtcdBackup with spec.continuous;
                         BACKUP is then the EtcdBackup, or the URL of its path
  --secret NAME          (URL) Secret with the credentials of the backup store; default (S3, GCS): the credentials of this machine
  --encryption-secret NAME   (URL) Secret with the key of an encrypted backup
  --path-style           (URL, S3) addresses buckets by path instead of by host name
  --endpoint URL         the backup store as this machine reaches it, through kubectl port-forward for example
  --directory PATH       (Directory) where the operator's backup volume is mounted on this machine
`;

/** By command: its purpose, and examples. */
export const commandHelp: Readonly<Record<string, string>> = {
  doctor: `Lists the problems of one cluster, or of all clusters of a namespace, with causes and remedies. The most urgent problems come first.
Conditions, members, pods, backups and restores are read, and etcd itself is asked through the API server. Nothing is changed.

Usage: kubectl etcd doctor [CLUSTER] [-A]

Examples:
  kubectl etcd doctor                 all clusters of the namespace
  kubectl etcd doctor my-cluster
  kubectl etcd doctor -A              all namespaces
  kubectl etcd doctor my-cluster -o json

NOW: clients are not served, or data is at risk. SOON: it gets worse, or waits for you. LATER: worth knowing.
Exit status: 1 if a problem has the urgency NOW.
`,
  list: `All clusters of a namespace, or of all namespaces, one line each.

Usage: kubectl etcd list [-A]

Examples:
  kubectl etcd list
  kubectl etcd list -A
  kubectl etcd list -A -o json
`,
  events: `Events of a cluster, of its pods and volumes, and of its backups and restores, oldest first.

Usage: kubectl etcd events [CLUSTER]

Examples:
  kubectl etcd events my-cluster
  kubectl etcd events my-cluster -o json
`,
  logs: `Logs of the members of a cluster; each line begins with the name of its member.

Usage: kubectl etcd logs [CLUSTER] [--member MEMBER] [--follow] [--previous] [--tail LINES]

Examples:
  kubectl etcd logs my-cluster                          the last 50 lines of each member
  kubectl etcd logs my-cluster --follow                 as they come, until you press Ctrl-C
  kubectl etcd logs my-cluster --follow -o json         an object per line: member and line
  kubectl etcd logs --member my-cluster-5h2w6t8k4p --previous
  kubectl etcd logs my-cluster --tail 500 -o json
`,
  exec: `Runs a command in the pod of a member. etcdctl gets the endpoints of all members, and the certificates that are in the pod.

Usage: kubectl etcd exec [CLUSTER] [--member MEMBER] [-i] -- COMMAND ...

Examples:
  kubectl etcd exec my-cluster -- etcdctl endpoint status --write-out=table
  kubectl etcd exec my-cluster -- etcdctl get --prefix /registry --keys-only
  kubectl etcd exec --member my-cluster-5h2w6t8k4p -- etcdctl defrag
  kubectl etcd exec my-cluster -i -- etcdctl put motd

--member: runs the command in the pod of that member, with its endpoint only. -i: the command gets the standard input.
If authentication is enabled, add --user NAME:PASSWORD to etcdctl, which cannot ask for the password in the pod.
Exit status: that of the command.
`,
  pause: `Sets spec.paused to true: the operator does not change or repair the cluster until it is resumed. The members continue to serve clients.

Usage: kubectl etcd pause [CLUSTER]

Examples:
  kubectl etcd pause my-cluster
`,
  resume: `Sets spec.paused to false: the operator applies changes that were made to the spec during the pause, and repairs the cluster.

Usage: kubectl etcd resume [CLUSTER]

Examples:
  kubectl etcd resume my-cluster
`,
  report: `One document with all that helps to find out what is wrong: findings, members, events, objects and logs. It contains no
Secrets; values of Secrets, passwords, tokens and keys are removed from it. Read it before you send it.

Usage: kubectl etcd report [CLUSTER] [--tail LINES]

Examples:
  kubectl etcd report my-cluster > report.yaml
  kubectl etcd report my-cluster --tail 2000 -o json > report.json
`,
  status: `Members, conditions, and what the operator does and why.

Usage: kubectl etcd status [CLUSTER] [--watch]

Examples:
  kubectl etcd status                 the only cluster of the namespace
  kubectl etcd status my-cluster
  kubectl etcd status my-cluster --watch     again whenever it changes, until you press Ctrl-C
  kubectl etcd status my-cluster -o json
`,
  operators: `Which operators run, and which namespaces they manage.

Usage: kubectl etcd operators

Examples:
  kubectl etcd operators
  kubectl etcd operators -o yaml
`,
  members: `Shows the present member list of etcd. The members are asked through the API server.

Usage: kubectl etcd members [CLUSTER]

Examples:
  kubectl etcd members my-cluster
  kubectl etcd members my-cluster -o wide     with committed raft indexes and peer URLs

Exit status: 1 if no member is reachable, or if the reachable members have no quorum. In the second case, their list is still shown.
`,
  plan: `Shows what the operator would do, step by step, and whether the cluster keeps its quorum at each step. Nothing is changed.

Usage: kubectl etcd plan [CLUSTER] [-f FILE]

Examples:
  kubectl etcd plan my-cluster                what is left to do now
  kubectl etcd plan my-cluster -f new.yaml    after new.yaml is applied
  kubectl get etcdcluster my-cluster -o yaml | sed 's/size: 3/size: 5/' | kubectl etcd plan my-cluster -f -

Exit status: 3 if quorum would be lost for a short time, or the operator would not apply the file.
`,
  backup: `Lists EtcdBackups, creates one, or shows the keys in stored backups.

Usage: kubectl etcd backup list [CLUSTER] [-A]             see kubectl etcd backup list --help
       kubectl etcd backup create [CLUSTER] --store URL --secret NAME
       kubectl etcd backup browse BACKUP [PREFIX]          see kubectl etcd backup browse --help
       kubectl etcd backup diff BACKUP live|BACKUP [PREFIX]    see kubectl etcd backup diff --help

Examples:
  kubectl etcd backup list
  kubectl etcd backup list my-cluster -o json
  kubectl etcd backup create my-cluster --store s3://my-bucket/my-cluster.backup --secret aws --wait
  kubectl etcd backup create my-cluster --store gs://my-bucket/nightly --secret gcp --add-time
  kubectl etcd backup create my-cluster --s3-path my-bucket/nightly --aws-secret aws --add-time

${store}  --name NAME            of the EtcdBackup (default: CLUSTER-TIME)
  --add-time             append the time to the key, so that each backup has its own: KEY_20260131155759
  --owner-job NAME/UID   the EtcdBackup is deleted with this Job; its stored backups stay
`,
  'backup list': `Lists EtcdBackups, or (with --stored or --store) every stored backup. Each has one line.

Usage: kubectl etcd backup list [CLUSTER] [-A]
       kubectl etcd backup list [CLUSTER] --stored [--directory PATH]
       kubectl etcd backup list --store URL [--secret NAME] [--endpoint URL] [--directory PATH]

Examples:
  kubectl etcd backup list                            one line for each EtcdBackup
  kubectl etcd backup list my-cluster --stored        one line for each backup that the EtcdBackups of my-cluster stored
  kubectl etcd backup list --store s3://my-bucket/    backups in a bucket, also if the EtcdBackups are gone
  kubectl etcd backup list --store s3://my-bucket/my-cluster.backup --secret aws -o json

Options:
  --stored               every stored backup: whether its manifest matches, whether its test restore succeeded, and which rules keep it (nothing: it is
                         deleted after the next backup); the changes of an EtcdBackup with spec.continuous, and its recovery point
  --store URL            every stored backup whose path begins with that of the URL, from the backup store alone. Only the EtcdBackup knows
                         which backups passed a test restore, and which are kept
  --secret NAME          (URL) Secret with the credentials of the backup store; default (S3, GCS): the credentials of this machine
  --path-style           (URL, S3) addresses buckets by path instead of by host name
  --endpoint URL         the backup store as this machine reaches it, through kubectl port-forward for example
  --directory PATH       (Directory) where the operator's backup volume is mounted on this machine; -n says whose backups

MANIFEST: Matches: it was verified when it was stored, and has that length; Missing: not completed, or of another tool; Differs, Invalid,
Denied: not known what it is. Only the manifests are read; browse and restore also verify the backup itself.
`,
  'backup browse': `Shows the keys in a backup. Nothing is restored, and no cluster is needed.

Usage: kubectl etcd backup browse BACKUP [PREFIX] [--values] [--revision N | --at TIME]

Examples:
  kubectl etcd backup browse my-backup                         all keys, without their values
  kubectl etcd backup browse my-backup /registry/secrets/
  kubectl etcd backup browse my-backup /config/ --values -o json
  kubectl etcd backup browse my-backup /config/ --revision 4711    as it was at that revision
  kubectl etcd backup browse my-backup /config/ --at 2026-11-18T14:32:00Z
  kubectl etcd backup browse nightly:my-bucket/nightly_v4711_2026-01-31-15:57:59
  kubectl etcd backup browse s3://my-bucket/my-cluster.backup --secret aws

${browsed}`,
  'backup diff': `Shows the keys in which a backup differs from the cluster as it is now, or from another backup: + only in the second, - only in
the first, ~ value or lease differs. Nothing is restored.

Usage: kubectl etcd backup diff BACKUP live|BACKUP [PREFIX] [--values] [--revision N | --at TIME] [--to-revision N | --to-at TIME]

Examples:
  kubectl etcd backup diff my-backup live                      what has changed since
  kubectl etcd backup diff my-backup etcdcluster/other /config/ --values
  kubectl etcd backup diff monday tuesday -o json
  kubectl etcd backup diff my-backup my-backup --revision 4000 --to-revision 4711    what happened in between

live is the cluster that the backup was taken from, etcdcluster/NAME is any other cluster. Clusters are read through the API server.
${browsed}  --to-revision N, --to-at TIME   the same for the second one

Exit status: 3 if there are differences.
`,
  restore: `Creates an EtcdRestore, which restores a cluster from a backup. The operator saves the present data first.

Usage: kubectl etcd restore [CLUSTER] --store URL --secret NAME [--yes]
       kubectl etcd restore [CLUSTER] --store URL --secret NAME --prefix PREFIX [--dry-run | --yes]

Examples:
  kubectl etcd restore my-cluster --store s3://my-bucket/my-cluster.backup --secret aws --prefix /config/ --dry-run --wait
  kubectl etcd restore my-cluster --store s3://my-bucket/my-cluster.backup --secret aws --yes --wait
  kubectl etcd restore my-cluster --s3-path my-bucket/my-cluster.backup --aws-secret aws --yes --wait

${store}  --yes                  replace the data of a cluster that exists
  --prefix PREFIX        restore only keys that begin with PREFIX, while the cluster keeps serving; can be repeated
  --dry-run              with --prefix: only count the keys that would be put and deleted. The same command with --yes instead
                         writes them, unless another client has changed them since the dry run
  --overwrite            with --prefix: also write keys that another client has changed since the dry run
`,
  recover: `Shows the members that a cluster without quorum can be recovered from, and what would be lost. Nothing is changed
without --yes, which creates an EtcdRestore that recovers the cluster from the member with the most advanced log.
Running members are asked now. The logs on volumes are read only after the recovery has begun.

Usage: kubectl etcd recover [CLUSTER]

Examples:
  kubectl etcd recover my-cluster                     members, what each has, and what would be lost
  kubectl etcd recover my-cluster --yes --wait
  kubectl etcd recover my-cluster --member my-cluster-5h2w6t8k4p --yes

Options:
  --member NAME          the member to recover from; refused if another member has newer data
  --yes                  start the recovery
  --wait                 waits until the operation has succeeded or failed
  --timeout TIME         how long --wait waits: 90s, 10m (default 5m)

Exit status: 1 if the cluster has a quorum, if no member has data, or if --member is required.
`,
  'move-leader': `Moves leadership to a member, for example before maintenance of the node of the leader.

Usage: kubectl etcd move-leader [CLUSTER] [MEMBER]

Examples:
  kubectl etcd move-leader my-cluster                          to the follower with the most data
  kubectl etcd move-leader my-cluster my-cluster-5h2w6t8k4p
`,
};
