// SPDX-License-Identifier: Apache-2.0
package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

var (
	groupVersion    = schema.GroupVersion{Group: "etcd.database.coreos.com", Version: "v1beta2"}
	clusterResource = groupVersion.WithResource("etcdclusters")
	clusterKind     = groupVersion.WithKind("EtcdCluster")
	podResource     = corev1.SchemeGroupVersion.WithResource("pods")
)

// EtcdCluster has the fields of the objects that are loaded, as a Go operator would declare them.
type EtcdCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              ClusterSpec   `json:"spec"`
	Status            ClusterStatus `json:"status,omitempty"`
}

type ClusterSpec struct {
	Size       int32      `json:"size"`
	Repository string     `json:"repository,omitempty"`
	Version    string     `json:"version,omitempty"`
	Paused     bool       `json:"paused,omitempty"`
	Pod        *PodPolicy `json:"pod,omitempty"`
}

type PodPolicy struct {
	Labels                    map[string]string                 `json:"labels,omitempty"`
	Annotations               map[string]string                 `json:"annotations,omitempty"`
	NodeSelector              map[string]string                 `json:"nodeSelector,omitempty"`
	Affinity                  *corev1.Affinity                  `json:"affinity,omitempty"`
	Resources                 corev1.ResourceRequirements       `json:"resources,omitempty"`
	Tolerations               []corev1.Toleration               `json:"tolerations,omitempty"`
	EtcdEnv                   []corev1.EnvVar                   `json:"etcdEnv,omitempty"`
	PersistentVolumeClaimSpec *corev1.PersistentVolumeClaimSpec `json:"persistentVolumeClaimSpec,omitempty"`
}

type ClusterStatus struct {
	Phase              string             `json:"phase,omitempty"`
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Conditions         []ClusterCondition `json:"conditions,omitempty"`
	Size               int32              `json:"size,omitempty"`
	ReadySize          int32              `json:"readySize,omitempty"`
	ServiceName        string             `json:"serviceName,omitempty"`
	ClientPort         int32              `json:"clientPort,omitempty"`
	Members            *MembersStatus     `json:"members,omitempty"`
	MemberDetails      []MemberDetail     `json:"memberDetails,omitempty"`
	CurrentVersion     string             `json:"currentVersion,omitempty"`
	ClusterID          string             `json:"clusterID,omitempty"`
}

type ClusterCondition struct {
	Type               string `json:"type"`
	Status             string `json:"status"`
	LastUpdateTime     string `json:"lastUpdateTime,omitempty"`
	LastTransitionTime string `json:"lastTransitionTime,omitempty"`
	Reason             string `json:"reason,omitempty"`
	Message            string `json:"message,omitempty"`
}

type MembersStatus struct {
	Ready   []string `json:"ready,omitempty"`
	Unready []string `json:"unready,omitempty"`
}

type MemberDetail struct {
	Name         string `json:"name"`
	ID           string `json:"id,omitempty"`
	Role         string `json:"role,omitempty"`
	Version      string `json:"version,omitempty"`
	Revision     int64  `json:"revision,omitempty"`
	DatabaseSize int64  `json:"databaseSize,omitempty"`
	Healthy      bool   `json:"healthy"`
}

type EtcdClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []EtcdCluster `json:"items"`
}

func (in *EtcdCluster) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if in.Spec.Pod != nil {
		out.Spec.Pod = in.Spec.Pod.deepCopy()
	}
	out.Status.Conditions = append([]ClusterCondition(nil), in.Status.Conditions...)
	out.Status.MemberDetails = append([]MemberDetail(nil), in.Status.MemberDetails...)
	if in.Status.Members != nil {
		out.Status.Members = &MembersStatus{
			Ready:   append([]string(nil), in.Status.Members.Ready...),
			Unready: append([]string(nil), in.Status.Members.Unready...),
		}
	}
	return &out
}

func (in *PodPolicy) deepCopy() *PodPolicy {
	out := *in
	out.Labels, out.Annotations, out.NodeSelector = copied(in.Labels), copied(in.Annotations), copied(in.NodeSelector)
	out.Affinity = in.Affinity.DeepCopy()
	in.Resources.DeepCopyInto(&out.Resources)
	out.Tolerations = nil
	for i := range in.Tolerations {
		out.Tolerations = append(out.Tolerations, *in.Tolerations[i].DeepCopy())
	}
	out.EtcdEnv = nil
	for i := range in.EtcdEnv {
		out.EtcdEnv = append(out.EtcdEnv, *in.EtcdEnv[i].DeepCopy())
	}
	out.PersistentVolumeClaimSpec = in.PersistentVolumeClaimSpec.DeepCopy()
	return &out
}

func copied(in map[string]string) map[string]string {
	if in == nil {
		return nil
	}
	out := make(map[string]string, len(in))
	for key, value := range in {
		out[key] = value
	}
	return out
}

func (in *EtcdClusterList) DeepCopyObject() runtime.Object {
	out := *in
	out.Items = make([]EtcdCluster, len(in.Items))
	for i := range in.Items {
		out.Items[i] = *in.Items[i].DeepCopyObject().(*EtcdCluster)
	}
	return &out
}

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	_ = clientgoscheme.AddToScheme(scheme)
	scheme.AddKnownTypes(groupVersion, &EtcdCluster{}, &EtcdClusterList{})
	metav1.AddToGroupVersion(scheme, groupVersion)
	return scheme
}
