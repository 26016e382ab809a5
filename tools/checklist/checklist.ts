// SPDX-License-Identifier: Apache-2.0
/**
 * The requirements for a successor of CoreOS etcd-operator, one sentence per line, each with a number that test names
 * contain. It is data, and as long as the list.
 */

/** `K` is kept from CoreOS, `F` fixes a fault of it, `N` is new. A line may have several of them. */
export type Marks = 'K' | 'F' | 'N' | 'KF' | 'KN' | 'FN' | 'KFN';

/** The part of the product of a line. */
export type Scope = 'cluster' | 'backup' | 'restore' | 'program';

export interface ChecklistLine {
  readonly number: number;
  readonly marks: Marks;
  readonly scope: Scope;
  readonly sentence: string;
}

/** Each line as its number, marks, scope and sentence. */
const lines = [
  '1 K cluster The three kinds are served under the old group and version, as CRDs of today.',
  '2 K cluster Every field of CoreOS etcd-operator is accepted under its exact name, capitals included.',
  "3 K cluster CoreOS's examples are accepted as they stand.",
  '4 F cluster Unknown and retired fields and nulls of stored objects are borne and kept.',
  '5 K cluster Repository and version have defaults, a leading v is dropped, the tag gets one.',
  '6 F cluster Nothing is ever written into a spec.',
  '7 K cluster antiAffinity keeps pods of a cluster on nodes of their own, unless affinity says otherwise.',
  '8 KF cluster Reserved labels and unpaired TLS secrets are refused where the user sees it.',
  '9 F cluster Sizes, versions, names, intervals and stores that make no sense are refused; none crashes us.',
  '10 F cluster An operator secret without member secrets is a sentence, not a crash.',
  '11 K cluster The fields of status mean what they always meant.',
  '12 F cluster A paused cluster says so in its status.',
  '13 KF cluster The four conditions keep their reasons, and have False states and true times.',
  '14 F cluster Status is written in trouble too, and a lost quorum shows within seconds.',
  "15 K backup EtcdBackup's Reason is capital, EtcdRestore's is not, and lastSuccessDate may be null.",
  '16 N cluster kubectl scale works, and kubectl get shows what matters.',
  '17 K program One image holds three programs, and the command of the container chooses one.',
  '18 K program The flags of CoreOS etcd-operator are understood, with one dash or two.',
  '19 F program -version needs no environment.',
  '20 K program Without MY_POD_NAMESPACE or MY_POD_NAME a program ends with an error.',
  '21 FN program A Lease elects the leader and is given back; an old lock in use is respected.',
  '22 KF program /readyz and /metrics are served by all programs, by standbys too.',
  '23 K program The CRD is created, and the operator waits for it; or it is left alone when told so.',
  '24 K program The scope annotation decides which operator looks after an object.',
  '25 F cluster Deletes always count, and what comes back under a name is another cluster.',
  '26 K cluster Clusters outlive the operator, and leave nothing behind when they are deleted.',
  '27 F program Hundreds of clusters are reconciled in seconds, and constant edits starve none.',
  '28 F program A broken cluster harms no other.',
  '29 K cluster Members are named after their cluster and ten letters; counted names of old are members too.',
  '30 K cluster A pod carries the labels, names, ports and paths of CoreOS etcd-operator.',
  '31 K cluster etcd gets its arguments in the order it always did, those of TLS included.',
  '32 K cluster Two Services, for clients and for peers, with the ports and selectors of old.',
  '33 F cluster Peers are published before they are ready, clients are not; Services are repaired.',
  '34 F cluster Services exist before the first pod.',
  '35 KF cluster check-dns waits as long as it is told, with any cluster domain.',
  '36 KF cluster Resources go to all containers, options to etcd only, and no option overwrites our labels.',
  '37 F cluster Probes need no shell, fit the version, and a member without a leader is not ready.',
  "38 KN cluster The user's security context is passed on, and pods satisfy the restricted level.",
  '39 K cluster A volume is named as its pod, made to the letter of the spec, and goes with its member.',
  '40 F cluster The cluster domain survives a restart of the operator.',
  '41 N cluster A disruption budget keeps the quorum and follows the size.',
  '42 N cluster Priority, pull secrets, memory volumes, Service annotations and helper images can be set.',
  '43 K cluster Three members are ready within a minute, one within half of it.',
  '44 K cluster One change of members at a time: first heal, then scale, then upgrade.',
  '45 K cluster Three become five and five become three, with condition and events.',
  '46 F cluster The next member waits until the one before is well, and joins as a learner where it can.',
  '47 F cluster The unhealthy leave first and the leader last.',
  '48 F cluster A size that is repeated, or changed half-way, is reached without detours.',
  '49 K cluster A dead member is replaced, and an event says so.',
  '50 K cluster A paused cluster is not touched, and is healed when it resumes.',
  '51 K cluster A restarted operator goes on, and recreates no pod.',
  '52 F cluster Killed at any moment of a bootstrap, the operator still ends with a healthy cluster.',
  '53 F cluster A member without a pod, or a pod without a member, is repaired, from one to two as well.',
  '54 F cluster A pod that stays pending stops nothing else, and follows a corrected spec.',
  '55 F cluster A member that keeps crashing, or whose data is corrupt, is replaced if the others suffice.',
  '56 F cluster A member on a lost node is replaced after a delay, by what etcd says.',
  '57 F cluster After a power loss all members come back on their volumes with all data.',
  '58 F cluster A single lost pod comes back on its volume.',
  '59 F cluster A lost quorum is said at once, and nothing is done unasked.',
  '60 F cluster A cluster whose data is gone says so.',
  '61 F cluster Members changed by hand are noticed.',
  '62 K cluster An upgrade keeps the pods and the data, and is told in status and by events.',
  '63 F cluster One member is upgraded at a time, the leader last; a bad image stops none.',
  "64 F cluster etcd's container is found by its name, wherever it stands.",
  '65 F cluster Other changes of the spec are rolled out one by one, or shown as pending.',
  '66 F cluster No failure is final: once its cause is fixed, work goes on.',
  '67 KFN cluster TLS for peers, for clients and for both, from secrets of either form, rotated without a restart.',
  '68 N cluster Secrets as cert-manager makes them will do for TLS.',
  '69 N cluster Clusters that ask for passwords can be managed.',
  '70 N cluster A full database is reported, and a corrupt one repaired one member at a time.',
  '71 KN cluster The four events keep their texts; troubles are events too.',
  '72 KF cluster Metrics keep their names, count right, and their labels are bounded.',
  '73 K program The two levels of chaos kill pods as they did.',
  '74 K backup One backup goes to exactly the path given, in each of the four stores.',
  '75 K backup Secrets of the stores keep their form, and may be left out where the machine has an identity.',
  "76 KF backup Stores that speak S3 can be named, with the style of their paths and an authority of one's own.",
  '77 KF backup The most advanced endpoint is asked; one that does not answer does not stop the others.',
  '78 K backup Client certificates are used, and the time limit holds from end to end.',
  '79 K backup Periodic backups are named by revision and time, and only the newest are kept.',
  '80 F backup What is too old is judged by its time, and nothing of others is deleted.',
  '81 F backup A schedule survives restarts, does not drift and never overlaps.',
  '82 F backup A changed or deleted schedule stops, and its finalizer goes.',
  '83 F backup A schedule may become a single backup, and the reverse.',
  '84 F backup A failed backup is tried again, and its status tells of it.',
  '85 F backup A failed upload is never a success, and a large one needs little memory.',
  '86 F backup A backup counts when its bytes have been verified.',
  '87 KN backup Deleting the object keeps what is stored, unless asked otherwise.',
  '88 N backup Backups run side by side, in all namespaces, with metrics, to volumes as well.',
  '89 K restore A restore brings the cluster back under its name and spec, with the data of the backup.',
  '90 K restore It works with TLS, and when no pod is left.',
  '91 KF restore The backup can be fetched over HTTP as before, by those who may.',
  '92 F restore The backup is known to be good before anything is deleted.',
  '93 F restore Success is a cluster that serves; every failure has its reason and is tried again.',
  '94 F restore The client Service stays, with its address.',
  '95 F restore Clusters on volumes are restored to volumes.',
  '96 F restore The state of the old cluster does not matter, nor whether it exists.',
  '97 F restore The restore may have another name than the cluster, and be in another namespace.',
  '98 F restore No image of a third party is used, and none needs a shell.',
  '99 K restore Deleting the restore leaves the cluster.',
  '100 F restore Killed at any moment, a restore ends with one of the two clusters, never with none.',
  '101 K cluster A cluster of 0.9.4 is taken over with no restart, then resized and healed.',
  '102 K cluster So are clusters with the names of 0.8.',
  '103 F cluster While CoreOS etcd-operator runs, nothing is done.',
  '104 K backup An old periodic backup with its finalizer goes on, and can be deleted.',
  '105 K program Old Deployments work with another image and the new rights.',
  '106 N program Images can be made for both architectures, and etcd is run from 3.4 on.',
] as const satisfies readonly `${number} ${Marks} ${Scope} ${string}`[];

/** The words of a line up to its sentence; the type of `lines` guarantees what they are. */
type Words = [string, Marks, Scope];

export const checklist: readonly ChecklistLine[] = lines.map((line) => {
  const [number, marks, scope] = line.split(' ', 3) as Words;
  return { number: Number(number), marks, scope, sentence: line.slice([number, marks, scope, ''].join(' ').length) };
});
