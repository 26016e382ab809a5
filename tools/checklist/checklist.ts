// SPDX-License-Identifier: Apache-2.0
/**
 * What a successor of the original operator must do, one sentence a line, each with a number that tests carry in their names.
 * It is data, and long because the list is.
 */

/** `K` is kept from the original, `F` mends a fault of it, `N` is new. A line may be several of them. */
export type Marks = 'K' | 'F' | 'N' | 'KF' | 'KN' | 'FN' | 'KFN';

/** Which part of the product a line speaks of. */
export type Scope = 'cluster' | 'backup' | 'restore' | 'program';

export interface ChecklistLine {
  readonly number: number;
  readonly marks: Marks;
  readonly scope: Scope;
  readonly sentence: string;
}

/** Numbers from the first to the last, both included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Where a line that is kept or mended must have a test. */
export const required: readonly LineRange[] = [{ first: 1, last: 106 }];

const line = (number: number, marks: Marks, scope: Scope, sentence: string): ChecklistLine => ({
  number,
  marks,
  scope,
  sentence,
});

export const checklist: readonly ChecklistLine[] = [
  line(1, 'K', 'cluster', 'The three kinds are served under the old group and version, as CRDs of today.'),
  line(2, 'K', 'cluster', 'Every field of the original is accepted under its exact name, capitals included.'),
  line(3, 'K', 'cluster', "The original's examples are accepted as they stand."),
  line(4, 'F', 'cluster', 'Unknown and retired fields and nulls of stored objects are borne and kept.'),
  line(5, 'K', 'cluster', 'Repository and version have defaults, a leading v is dropped, the tag gets one.'),
  line(6, 'F', 'cluster', 'Nothing is ever written into a spec.'),
  line(
    7,
    'K',
    'cluster',
    'antiAffinity keeps pods of a cluster on nodes of their own, unless affinity says otherwise.',
  ),
  line(8, 'KF', 'cluster', 'Reserved labels and unpaired TLS secrets are refused where the user sees it.'),
  line(
    9,
    'F',
    'cluster',
    'Sizes, versions, names, intervals and stores that make no sense are refused; none crashes us.',
  ),
  line(10, 'F', 'cluster', 'An operator secret without member secrets is a sentence, not a crash.'),
  line(11, 'K', 'cluster', 'The fields of status mean what they always meant.'),
  line(12, 'F', 'cluster', 'A paused cluster says so in its status.'),
  line(13, 'KF', 'cluster', 'The four conditions keep their reasons, and have False states and true times.'),
  line(14, 'F', 'cluster', 'Status is written in trouble too, and a lost quorum shows within seconds.'),
  line(15, 'K', 'backup', "EtcdBackup's Reason is capital, EtcdRestore's is not, and lastSuccessDate may be null."),
  line(16, 'N', 'cluster', 'kubectl scale works, and kubectl get shows what matters.'),
  line(17, 'K', 'program', 'One image holds three programs, and the command of the container chooses one.'),
  line(18, 'K', 'program', 'The flags of the original are understood, with one dash or two.'),
  line(19, 'F', 'program', '-version needs no environment.'),
  line(20, 'K', 'program', 'Without MY_POD_NAMESPACE or MY_POD_NAME a program ends with an error.'),
  line(21, 'FN', 'program', 'A Lease elects the leader and is given back; an old lock in use is respected.'),
  line(22, 'KF', 'program', '/readyz and /metrics are served by all programs, by standbys too.'),
  line(23, 'K', 'program', 'The CRD is created and waited for, or left alone when told so.'),
  line(24, 'K', 'program', 'The scope annotation decides which operator looks after an object.'),
  line(25, 'F', 'cluster', 'Deletes always count, and what comes back under a name is another cluster.'),
  line(26, 'K', 'cluster', 'Clusters outlive the operator, and leave nothing behind when they are deleted.'),
  line(27, 'F', 'program', 'Hundreds of clusters are reconciled in seconds, and constant edits starve none.'),
  line(28, 'F', 'program', 'A broken cluster harms no other.'),
  line(
    29,
    'K',
    'cluster',
    'Members are named after their cluster and ten letters; counted names of old are members too.',
  ),
  line(30, 'K', 'cluster', 'A pod carries the labels, names, ports and paths of the original.'),
  line(31, 'K', 'cluster', 'etcd gets its arguments in the order it always did, those of TLS included.'),
  line(32, 'K', 'cluster', 'Two Services, for clients and for peers, with the ports and selectors of old.'),
  line(33, 'F', 'cluster', 'Peers are published before they are ready, clients are not; Services are repaired.'),
  line(34, 'F', 'cluster', 'Services exist before the first pod.'),
  line(35, 'KF', 'cluster', 'check-dns waits as long as it is told, with any cluster domain.'),
  line(36, 'KF', 'cluster', 'Resources go to all containers, options to etcd only, and nobody overwrites our marks.'),
  line(37, 'F', 'cluster', 'Probes need no shell, fit the version, and a member without a leader is not ready.'),
  line(38, 'KN', 'cluster', "The user's security context is passed on, and pods satisfy the restricted level."),
  line(39, 'K', 'cluster', 'A volume is named as its pod, made to the letter of the spec, and goes with its member.'),
  line(40, 'F', 'cluster', 'The cluster domain survives a restart of the operator.'),
  line(41, 'N', 'cluster', 'A disruption budget keeps the quorum and follows the size.'),
  line(42, 'N', 'cluster', 'Priority, pull secrets, memory volumes, Service annotations and helper images can be set.'),
  line(43, 'K', 'cluster', 'Three members are ready within a minute, one within half of it.'),
  line(44, 'K', 'cluster', 'One change of members at a time: first heal, then scale, then upgrade.'),
  line(45, 'K', 'cluster', 'Three become five and five become three, with condition and events.'),
  line(46, 'F', 'cluster', 'The next member waits until the one before is well, and joins as a learner where it can.'),
  line(47, 'F', 'cluster', 'The unhealthy leave first and the leader last.'),
  line(48, 'F', 'cluster', 'A size that is repeated, or changed half-way, is reached without detours.'),
  line(49, 'K', 'cluster', 'A dead member is replaced, and an event says so.'),
  line(50, 'K', 'cluster', 'A paused cluster is not touched, and is healed when it resumes.'),
  line(51, 'K', 'cluster', 'A restarted operator goes on, and makes no pod anew.'),
  line(52, 'F', 'cluster', 'Killed at any moment of a bootstrap, the operator still ends with a healthy cluster.'),
  line(53, 'F', 'cluster', 'A member without a pod, or a pod without a member, is repaired, from one to two as well.'),
  line(54, 'F', 'cluster', 'A pod that stays pending stops nothing else, and follows a corrected spec.'),
  line(
    55,
    'F',
    'cluster',
    'A member that keeps crashing, or whose data is corrupt, is replaced if the others suffice.',
  ),
  line(56, 'F', 'cluster', 'A member on a lost node is replaced after a delay, by what etcd says.'),
  line(57, 'F', 'cluster', 'After a power loss all members come back on their volumes with all data.'),
  line(58, 'F', 'cluster', 'A single lost pod comes back on its volume.'),
  line(59, 'F', 'cluster', 'A lost quorum is said at once, and nothing is done unasked.'),
  line(60, 'F', 'cluster', 'A cluster whose data is gone says so.'),
  line(61, 'F', 'cluster', 'Members changed by hand are noticed.'),
  line(62, 'K', 'cluster', 'An upgrade keeps the pods and the data, and is told in status and by events.'),
  line(63, 'F', 'cluster', 'One member is upgraded at a time, the leader last; a bad image stops none.'),
  line(64, 'F', 'cluster', "etcd's container is found by its name, wherever it stands."),
  line(65, 'F', 'cluster', 'Other changes of the spec are rolled out one by one, or shown as pending.'),
  line(66, 'F', 'cluster', 'No failure is final: the cause mended, work goes on.'),
  line(
    67,
    'KFN',
    'cluster',
    'TLS for peers, for clients and for both, from secrets of either form, rotated without a restart.',
  ),
  line(68, 'N', 'cluster', 'Certificates can be made for the user.'),
  line(69, 'N', 'cluster', 'Clusters that ask for passwords can be managed.'),
  line(70, 'N', 'cluster', 'Databases are defragmented and alarms of full ones handled, one member at a time.'),
  line(71, 'KN', 'cluster', 'The four events keep their texts; troubles are events too.'),
  line(72, 'KF', 'cluster', 'Metrics keep their names, count right, and their labels are bounded.'),
  line(73, 'K', 'program', 'The two levels of chaos kill pods as they did.'),
  line(74, 'K', 'backup', 'One backup goes to exactly the path given, in each of the four stores.'),
  line(
    75,
    'K',
    'backup',
    'Secrets of the stores keep their form, and may be left out where the machine has an identity.',
  ),
  line(
    76,
    'KF',
    'backup',
    "Stores that speak S3 can be named, with the style of their paths and an authority of one's own.",
  ),
  line(77, 'KF', 'backup', 'The most advanced endpoint is asked; one that is silent does not stop the others.'),
  line(78, 'K', 'backup', 'Client certificates are used, and the time limit holds from end to end.'),
  line(79, 'K', 'backup', 'Periodic backups are named by revision and time, and only the newest are kept.'),
  line(80, 'F', 'backup', 'What is too old is judged by its time, and nothing of others is deleted.'),
  line(81, 'F', 'backup', 'A schedule survives restarts, does not drift and never overlaps.'),
  line(82, 'F', 'backup', 'A changed or deleted schedule stops, and its finalizer goes.'),
  line(83, 'F', 'backup', 'A schedule may become a single backup, and the reverse.'),
  line(84, 'F', 'backup', 'A failed backup is tried again, and its status tells of it.'),
  line(85, 'F', 'backup', 'A failed upload is never a success, and a large one needs little memory.'),
  line(86, 'F', 'backup', 'A backup counts when its bytes have been verified.'),
  line(87, 'KN', 'backup', 'Deleting the object keeps what is stored, unless asked otherwise.'),
  line(88, 'N', 'backup', 'Backups run side by side, in all namespaces, with metrics, to volumes as well.'),
  line(89, 'K', 'restore', 'A restore brings the cluster back under its name and spec, with the data of the backup.'),
  line(90, 'K', 'restore', 'It works with TLS, and when no pod is left.'),
  line(91, 'KF', 'restore', 'The backup can be fetched over HTTP as before, by those who may.'),
  line(92, 'F', 'restore', 'The backup is known to be good before anything is deleted.'),
  line(93, 'F', 'restore', 'Success is a cluster that serves; every failure has its reason and is tried again.'),
  line(94, 'F', 'restore', 'The client Service stays, with its address.'),
  line(95, 'F', 'restore', 'Clusters on volumes are restored to volumes.'),
  line(96, 'F', 'restore', 'The state of the old cluster does not matter, nor whether it exists.'),
  line(97, 'F', 'restore', 'The restore may have another name than the cluster, and be in another namespace.'),
  line(98, 'F', 'restore', "No stranger's image is used, and none needs a shell."),
  line(99, 'K', 'restore', 'Deleting the restore leaves the cluster.'),
  line(100, 'F', 'restore', 'Killed at any moment, a restore ends with one of the two clusters, never with none.'),
  line(101, 'K', 'cluster', 'A cluster of 0.9.4 is taken over with no restart, then resized and healed.'),
  line(102, 'K', 'cluster', 'So are clusters with the names of 0.8.'),
  line(103, 'F', 'cluster', 'While an old operator lives nothing is done.'),
  line(104, 'K', 'backup', 'An old periodic backup with its finalizer goes on, and can be deleted.'),
  line(105, 'K', 'program', 'Old Deployments work with another image and the new rights.'),
  line(106, 'N', 'program', 'Images for both architectures, Kubernetes from 1.27 on, etcd from 3.4 on.'),
];
